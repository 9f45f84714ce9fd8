import type { Format } from "../format.ts";

export const zip: Format = {
  name: "zip",
  description: "ZIP archive; every file in it is read",
  extensions: ["zip"],
  mediaTypes: ["application/zip", "application/x-zip-compressed"],
  // Office documents, e-books and the like are ZIP archives too and say more; where they say little, their name may decide.
  sniff: ({ zip: listing }) => (listing === undefined ? 0 : 0.6),
  load: async () => (await import("./read-zip.ts")).readZip,
};
