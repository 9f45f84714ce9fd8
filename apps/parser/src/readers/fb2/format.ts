import type { Format } from "../format.ts";

export const fb2: Format = {
  name: "fb2",
  description: "Electronic book (FictionBook 2)",
  extensions: ["fb2"],
  mediaTypes: ["application/x-fictionbook+xml", "application/x-fictionbook", "text/fb2+xml"],
  sniff: ({ headText }) =>
    headText !== undefined && /^\s*(?:<\?xml|<!--|<FictionBook)/.test(headText) && /<FictionBook[\s>]/.test(headText)
      ? 1
      : 0,
  isText: true,
  load: async () => (await import("./read-fb2.ts")).readFb2,
};
