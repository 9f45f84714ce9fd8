import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const asciidoc: Format = {
  name: "adoc",
  description: "AsciiDoc",
  extensions: ["adoc", "asciidoc", "ad"],
  mediaTypes: ["text/asciidoc", "text/x-asciidoc"],
  isText: true,
  sniff: ({ headText }: Probe) => {
    const text = headText ?? "";
    const hasBlock = /^(?:\[source[,\]]|\|===$|image::\S{1,300}\[|:[a-z][\w-]{1,40}:(?: |$))/m.test(text);
    return /^={1,3} \S/m.test(text) && hasBlock ? 0.4 : 0;
  },
  load: async () => (await import("./read-asciidoc.ts")).readAsciiDoc,
};
