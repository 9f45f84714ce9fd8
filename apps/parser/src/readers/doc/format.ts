import type { Format } from "../format.ts";

/** Read by engines that convert it; `builtin` has no reader for it yet. */
export const doc: Format = {
  name: "doc",
  description: "Word 97–2003 document",
  extensions: ["doc", "dot"],
  mediaTypes: ["application/msword"],
  // Encrypted packages may hold an empty document of the old kind, for programs that do not know encryption.
  sniff: ({ compound }) =>
    compound?.names.has("WordDocument") === true && !compound.names.has("EncryptedPackage") ? 1 : 0,
};
