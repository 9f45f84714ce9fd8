import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";
import { isOldWord } from "./is-old-word.ts";

export const doc: Format = {
  name: "doc",
  description: "Word 97–2003 document, and that of Word 6 and 95",
  extensions: ["doc", "dot"],
  // Those of WPS Writer too, whose files are the same.
  mediaTypes: [
    "application/msword",
    "application/vnd.ms-word",
    "application/x-msword",
    "application/kswps",
    "application/wps-office.doc",
    "application/wps-office.wps",
  ],
  sniff,
  load: async () => (await import("./read-doc.ts")).readDoc,
};

function sniff({ compound, head }: Probe): number {
  if (compound === undefined) return isOldWord(head) ? 0.9 : 0;
  // Encrypted packages may hold an empty document of the old kind, for programs that do not know encryption.
  return compound.names.has("WordDocument") && !compound.names.has("EncryptedPackage") ? 1 : 0;
}
