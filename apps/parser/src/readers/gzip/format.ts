import type { Format } from "../format.ts";

export const gzip: Format = {
  name: "gz",
  description: "File compressed with gzip; TAR archives inside are read",
  extensions: ["gz", "tgz", "tar.gz", "gzip"],
  mediaTypes: ["application/gzip", "application/x-gzip", "application/x-tgz"],
  sniff: ({ head }) => (head[0] === 0x1f && head[1] === 0x8b && head[2] === 8 ? 1 : 0),
  load: async () => (await import("./read-gzip.ts")).readGzip,
};
