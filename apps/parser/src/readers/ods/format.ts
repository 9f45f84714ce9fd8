import type { Format } from "../format.ts";

const mediaTypes = [
  "application/vnd.oasis.opendocument.spreadsheet",
  "application/vnd.oasis.opendocument.spreadsheet-template",
  "application/vnd.oasis.opendocument.spreadsheet-flat-xml",
];

export const ods: Format = {
  name: "ods",
  description: "OpenDocument spreadsheet, also as a template or flat XML",
  extensions: ["ods", "ots", "fods"],
  mediaTypes,
  sniff: ({ zip, headText }) => {
    if (zip?.mimetype !== undefined) return mediaTypes.includes(zip.mimetype.toLowerCase()) ? 1 : 0;
    // Packed again by hand, the media type is not where it should be; the name then tells which kind it is.
    if (zip !== undefined) return zip.names.has("content.xml") && zip.names.has("META-INF/manifest.xml") ? 0.5 : 0;
    const root = /<office:document\b[^<>]*>/.exec(headText?.slice(0, 16_384) ?? "")?.[0];
    return root?.includes("opendocument.spreadsheet") === true ? 1 : 0;
  },
  load: async () => (await import("./read-ods.ts")).readOds,
};
