import type { Format } from "../format.ts";

export const ppt: Format = {
  name: "ppt",
  description: "PowerPoint 97–2003 presentation",
  extensions: ["ppt", "pps", "pot"],
  mediaTypes: ["application/vnd.ms-powerpoint"],
  // Presentations of PowerPoint 95 have the stream `PP40`; they are refused by name.
  sniff: ({ compound }) => {
    if (compound?.names.has("PowerPoint Document") === true) return 1;
    return compound?.names.has("PP40") === true ? 0.9 : 0;
  },
  load: async () => (await import("./read-ppt.ts")).readPpt,
};
