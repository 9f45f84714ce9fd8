import { readTar } from "../../containers/tar.ts";
import { readMembers } from "../read-members.ts";
import type { ReadDocument } from "../reader.ts";

/** The files of a TAR archive in order; links and devices are counted in a warning. */
export const readTarArchive: ReadDocument = (input, context) => {
  const entries = readTar(input.bytes, context.budget);
  const others = entries.filter(({ kind }) => kind === "other").length;
  if (others > 0)
    context.warn(`${others} links, devices or other members of the archive that are no files were left out.`);
  const files = entries.filter(({ kind }) => kind === "file");
  return readMembers(
    files.map(({ name, bytes }) => ({ name, read: () => bytes })),
    context,
  );
};
