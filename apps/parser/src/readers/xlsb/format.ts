import type { Format } from "../format.ts";

export const xlsb: Format = {
  name: "xlsb",
  description: "Excel binary workbook",
  extensions: ["xlsb"],
  mediaTypes: ["application/vnd.ms-excel.sheet.binary.macroenabled.12"],
  sniff: ({ zip }) => {
    if (zip === undefined) return 0;
    return /ms-excel\.sheet\.binary\.macroenabled\.main/i.test(zip.contentTypes ?? "") ||
      zip.names.has("xl/workbook.bin")
      ? 1
      : 0;
  },
  load: async () => (await import("./read-xlsb.ts")).readXlsb,
};
