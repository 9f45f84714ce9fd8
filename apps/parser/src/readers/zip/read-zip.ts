import { openZip } from "../../containers/zip.ts";
import { readMembers } from "../read-members.ts";
import type { ReadDocument } from "../reader.ts";

/** The files of a ZIP archive, in the order of its directory. */
export const readZip: ReadDocument = (input, context) => {
  const archive = openZip(input.bytes, context.budget);
  const files = [...archive.entries.values()].filter(({ isDirectory }) => !isDirectory);
  const members = files.map(({ name }) => ({ name, read: () => archive.read(name) ?? new Uint8Array() }));
  return readMembers(members, context);
};
