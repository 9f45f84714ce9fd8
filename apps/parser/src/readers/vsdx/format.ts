import type { Format } from "../format.ts";

export const vsdx: Format = {
  name: "vsdx",
  description: "Visio drawing",
  extensions: ["vsdx", "vsdm", "vstx", "vstm", "vssx", "vssm"],
  mediaTypes: [
    "application/vnd.ms-visio.drawing",
    "application/vnd.ms-visio.drawing.main+xml",
    "application/vnd.ms-visio.drawing.macroenabled.main+xml",
    "application/vnd.ms-visio.template.main+xml",
    "application/vnd.ms-visio.stencil.main+xml",
  ],
  sniff: ({ zip }) => (zip?.names.has("visio/document.xml") === true ? 1 : 0),
  load: async () => (await import("./read-vsdx.ts")).readVsdx,
};
