import type { Format } from "../format.ts";
import { sniffDelimited } from "../../spreadsheet/delimited/sniff-delimited.ts";

export const csv: Format = {
  name: "csv",
  description: "Comma-separated values, also with semicolons or bars",
  extensions: ["csv"],
  mediaTypes: ["text/csv", "application/csv", "text/x-csv", "text/comma-separated-values"],
  isText: true,
  sniff: ({ headText }) => sniffDelimited(headText, [",", ";", "|"]),
  load: async () => (await import("./read-csv.ts")).readCsv,
};
