import type { Format } from "../format.ts";

/** Read by engines that convert it; `builtin` has no reader for it yet. */
export const doc: Format = {
  name: "doc",
  description: "Word 97–2003 document",
  extensions: ["doc", "dot"],
  mediaTypes: ["application/msword"],
  sniff: ({ compound }) => (compound?.names.has("WordDocument") === true ? 1 : 0),
};
