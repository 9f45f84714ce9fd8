import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const docx: Format = {
  name: "docx",
  description: "Word document",
  extensions: ["docx", "docm", "dotx", "dotm"],
  mediaTypes: [
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.ms-word.document.macroenabled.12",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
    "application/vnd.ms-word.template.macroenabled.12",
  ],
  sniff: sniffDocx,
  load: async () => (await import("./read-docx.ts")).readDocx,
};

const mainType =
  /vnd\.(?:openxmlformats-officedocument\.wordprocessingml|ms-word)\.(?:document|template)(?:\.macroEnabled(?:Template)?)?(?:\.12)?\.?main\+xml/i;

function sniffDocx({ zip, headLatin1 }: Probe): number {
  if (zip === undefined) return sniffFlat(headLatin1);
  if (zip.contentTypes !== undefined && mainType.test(zip.contentTypes)) return 1;
  return zip.names.has("word/document.xml") ? 0.8 : 0;
}

// Flat OPC: the parts of the package in one XML file.
function sniffFlat(head: string): number {
  if (!head.includes("http://schemas.microsoft.com/office/2006/xmlPackage")) return 0;
  return head.includes('progid="Word.Document"') || head.includes("/word/document.xml") ? 1 : 0;
}
