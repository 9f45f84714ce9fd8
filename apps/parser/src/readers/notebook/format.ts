import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const notebook: Format = {
  name: "ipynb",
  description: "Jupyter notebook",
  extensions: ["ipynb"],
  mediaTypes: ["application/x-ipynb+json"],
  isText: true,
  sniff: ({ headText }: Probe) => {
    const text = headText ?? "";
    if (!/^\s*\{\s*"(?:cells|metadata|nbformat|nbformat_minor|worksheets)"\s*:/.test(text)) return 0;
    return /"cell_type"\s*:|"nbformat"\s*:/.test(text) ? 0.9 : 0.5;
  },
  load: async () => (await import("./read-notebook.ts")).readNotebook,
};
