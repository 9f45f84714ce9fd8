import type { Format } from "../format.ts";

export const ooxmlEncrypted: Format = {
  name: "ooxml-encrypted",
  description: "Encrypted Office document",
  extensions: [],
  mediaTypes: ["application/vnd.ms-office.encrypted-package"],
  sniff: ({ compound }) => (compound?.names.has("EncryptedPackage") === true ? 1 : 0),
  load: async () => (await import("./read-encrypted.ts")).readEncrypted,
};
