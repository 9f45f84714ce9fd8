import type { Format } from "../format.ts";

/** Read by engines that convert it; `builtin` has no reader for it yet. */
export const ppt: Format = {
  name: "ppt",
  description: "PowerPoint 97–2003 presentation",
  extensions: ["ppt", "pps", "pot"],
  mediaTypes: ["application/vnd.ms-powerpoint"],
  sniff: ({ compound }) => (compound?.names.has("PowerPoint Document") === true ? 1 : 0),
};
