import type { Format } from "../format.ts";

const mediaTypes = [
  "application/vnd.oasis.opendocument.formula",
  "application/vnd.oasis.opendocument.formula-template",
  "application/vnd.sun.xml.math",
];

export const odf: Format = {
  name: "odf",
  description: "OpenDocument formula, also of OpenOffice.org 1",
  extensions: ["odf", "sxm"],
  mediaTypes,
  sniff: ({ zip }) => (mediaTypes.includes(zip?.mimetype?.toLowerCase() ?? "") ? 1 : 0),
  load: async () => (await import("./read-formula.ts")).readFormula,
};
