import type { Format } from "../format.ts";

export const pdf: Format = {
  name: "pdf",
  description: "PDF document",
  extensions: ["pdf"],
  mediaTypes: ["application/pdf", "application/x-pdf"],
  sniff: ({ headLatin1 }) => {
    const at = headLatin1.indexOf("%PDF-");
    if (at < 0) return 0;
    // ISO 32000-1 annex H, 3.4.1: readers accept the header anywhere in the first 1024 bytes.
    return at === 0 ? 1 : at < 1024 ? 0.8 : 0.2;
  },
  load: async () => (await import("./read-pdf.ts")).readPdf,
};
