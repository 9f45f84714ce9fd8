import type { Format } from "../format.ts";

const load: NonNullable<Format["load"]> = async () => (await import("./read-xls.ts")).readXls;

export const xls: Format = {
  name: "xls",
  description: "Excel 97–2003 workbook, and older Excel sheets",
  extensions: ["xls", "xlt", "xla", "xlw"],
  mediaTypes: ["application/vnd.ms-excel", "application/msexcel", "application/x-msexcel"],
  sniff: (probe) => (probe.compound === undefined ? sniffBareStream(probe.head) : sniffCompound(probe.compound.names)),
  load,
};

export const xmlSpreadsheet: Format = {
  name: "xml-spreadsheet",
  description: "Excel 2003 XML spreadsheet",
  extensions: [],
  mediaTypes: [],
  sniff: ({ headText }) => {
    const head = headText?.slice(0, 4096) ?? "";
    const isSpreadsheet =
      head.includes("urn:schemas-microsoft-com:office:spreadsheet") && /<(?:\w+:)?Workbook\b/.test(head);
    return isSpreadsheet ? 1 : 0;
  },
  load,
};

const streamNames = new Set(["workbook", "book"]);

function sniffCompound(names: ReadonlySet<string>): number {
  return [...names].some((name) => streamNames.has(name.toLowerCase())) ? 0.95 : 0;
}

// Excel 2 to 4 wrote the stream without a compound file around it; it begins with a BOF record ([MS-XLS] 2.4.21).
function sniffBareStream(head: Uint8Array): number {
  const isBof = head[0] === 0x09 && (head[1] === 0x00 || head[1] === 0x02 || head[1] === 0x04 || head[1] === 0x08);
  const length = head[2] ?? 0;
  return isBof && head[3] === 0 && length >= 4 && length <= 16 ? 0.9 : 0;
}
