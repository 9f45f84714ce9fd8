import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const xlsx: Format = {
  name: "xlsx",
  description: "Excel workbook (Office Open XML), with macros or as a template too",
  extensions: ["xlsx", "xlsm", "xltx", "xltm"],
  mediaTypes: [
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
    "application/vnd.ms-excel.sheet.macroenabled.12",
    "application/vnd.ms-excel.template.macroenabled.12",
  ],
  sniff: (probe) => {
    if (probe.zip !== undefined) return sniffPackage(probe.zip);
    // An encrypted package does not tell which program it is for; the name decides.
    return probe.compound?.names.has("EncryptedPackage") === true ? 0.2 : 0;
  },
  load: async () => (await import("./read-xlsx.ts")).readXlsx,
};

const mainType = /spreadsheetml\.(?:sheet|template)\.main\+xml|ms-excel\.(?:sheet|template)\.macroenabled\.main\+xml/i;

function sniffPackage({ names, contentTypes }: NonNullable<Probe["zip"]>): number {
  if (contentTypes !== undefined && mainType.test(contentTypes)) return 1;
  // Cut short, an archive has no directory; the name may still say what it was.
  if (names.size === 0) return 0.2;
  const isBinary = names.has("xl/workbook.bin");
  return !isBinary && (names.has("xl/workbook.xml") || names.has("xl/sharedStrings.xml")) ? 0.9 : 0;
}
