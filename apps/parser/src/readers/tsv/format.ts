import type { Format } from "../format.ts";
import { sniffDelimited } from "../../spreadsheet/delimited/sniff-delimited.ts";

export const tsv: Format = {
  name: "tsv",
  description: "Tab-separated values",
  extensions: ["tsv", "tab"],
  mediaTypes: ["text/tab-separated-values", "text/tsv"],
  isText: true,
  sniff: ({ headText }) => sniffDelimited(headText, ["\t"]),
  load: async () => (await import("./read-tsv.ts")).readTsv,
};
