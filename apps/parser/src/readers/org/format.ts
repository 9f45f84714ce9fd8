import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const org: Format = {
  name: "org",
  description: "Org mode",
  extensions: ["org"],
  mediaTypes: ["text/org", "text/x-org"],
  isText: true,
  sniff: ({ headText }: Probe) => {
    const text = headText ?? "";
    const hasKeyword = /^#\+(?:title|begin_src|begin_example|author|options|startup):?/im.test(text);
    return hasKeyword && /^\*{1,6} \S/m.test(text) ? 0.5 : 0;
  },
  load: async () => (await import("./read-org.ts")).readOrg,
};
