import type { Format } from "../format.ts";

export const rtf: Format = {
  name: "rtf",
  description: "Rich Text Format",
  extensions: ["rtf"],
  mediaTypes: ["application/rtf", "text/rtf", "text/richtext"],
  sniff: ({ headLatin1 }) => (/^(?:\u00ef\u00bb\u00bf)?\s{0,64}\{\\rt/.test(headLatin1) ? 1 : 0),
  load: async () => (await import("./read-rtf.ts")).readRtf,
};
