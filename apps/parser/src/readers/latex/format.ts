import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const latex: Format = {
  name: "tex",
  description: "LaTeX source",
  extensions: ["tex", "latex", "ltx"],
  mediaTypes: ["application/x-tex", "text/x-tex", "application/x-latex", "text/x-latex"],
  isText: true,
  sniff: ({ headText }: Probe) => {
    const text = headText ?? "";
    if (/^[ \t]*\\documentclass\s*[[{]/m.test(text)) return 0.85;
    return /\\begin\{document\}/.test(text) ? 0.6 : 0;
  },
  load: async () => (await import("./read-latex.ts")).readLatex,
};
