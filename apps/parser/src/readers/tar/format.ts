import { hasTarChecksum } from "../../containers/tar.ts";
import type { Format } from "../format.ts";

export const tar: Format = {
  name: "tar",
  description: "TAR archive; every file in it is read",
  extensions: ["tar"],
  mediaTypes: ["application/x-tar"],
  sniff: ({ head }) => (head.length >= 512 && head[0] !== 0 && hasTarChecksum(head.subarray(0, 512)) ? 1 : 0),
  load: async () => (await import("./read-tar-archive.ts")).readTarArchive,
};
