import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const rst: Format = {
  name: "rst",
  description: "reStructuredText",
  extensions: ["rst", "rest", "restx", "rtxt"],
  mediaTypes: ["text/x-rst", "text/prs.fallenstein.rst"],
  isText: true,
  sniff: ({ headText }: Probe) =>
    /^\.\. (?:contents|toctree|code-block|note|image|figure|highlight|module|py:\w{1,20})::/m.test(headText ?? "")
      ? 0.3
      : 0,
  load: async () => (await import("./read-rst.ts")).readRst,
};
