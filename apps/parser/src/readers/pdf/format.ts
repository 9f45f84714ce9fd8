import type { Format } from "../format.ts";

// Files that hold other files, a PDF among them: cpio, Outlook's winmail.dat, ar, programs, RAR and 7z.
const otherContainers = /^(?:07070[127]|\xc7\x71|\x78\x9f\x3e\x22|!<arch>|MZ|Rar!|7z\xbc\xaf)/;

export const pdf: Format = {
  name: "pdf",
  description: "PDF document",
  extensions: ["pdf"],
  mediaTypes: ["application/pdf", "application/x-pdf"],
  sniff: ({ headLatin1 }) => {
    const at = headLatin1.indexOf("%PDF-");
    if (at < 0) return 0;
    // ISO 32000-1 annex H, 3.4.1: readers accept the header anywhere in the first 1024 bytes.
    if (at < 1024) return at === 0 ? 1 : 0.8;
    return otherContainers.test(headLatin1) ? 0 : 0.2;
  },
  isReadInParts: true,
  load: async () => (await import("./read-pdf.ts")).readPdf,
};
