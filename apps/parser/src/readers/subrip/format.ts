import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const subrip: Format = {
  name: "srt",
  description: "SubRip subtitles",
  extensions: ["srt"],
  mediaTypes: ["application/x-subrip", "text/srt"],
  isText: true,
  sniff: ({ headText }: Probe) =>
    /^\s{0,40}\d{1,6}[ \t]{0,8}\r?\n\d{1,3}:\d\d:\d\d[,.]\d{1,3}[ \t]{0,8}-->/.test(headText ?? "") ? 0.85 : 0,
  load: async () => (await import("./read-subrip.ts")).readSubRip,
};
