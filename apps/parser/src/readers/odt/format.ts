import type { Format } from "../format.ts";

const mediaTypes = [
  "application/vnd.oasis.opendocument.text",
  "application/vnd.oasis.opendocument.text-template",
  "application/vnd.oasis.opendocument.text-master",
  "application/vnd.oasis.opendocument.text-web",
  "application/vnd.oasis.opendocument.text-flat-xml",
];

export const odt: Format = {
  name: "odt",
  description: "OpenDocument text, also as a template or flat XML",
  extensions: ["odt", "ott", "fodt", "odm", "oth"],
  mediaTypes,
  sniff: ({ zip, headText }) => {
    if (zip?.mimetype !== undefined) return mediaTypes.includes(zip.mimetype.toLowerCase()) ? 1 : 0;
    // Packed again by hand, the media type is not where it should be; the name then tells which kind it is.
    if (zip !== undefined) return zip.names.has("content.xml") && zip.names.has("META-INF/manifest.xml") ? 0.5 : 0;
    const root = /<office:document\b[^<>]*>/.exec(headText?.slice(0, 16_384) ?? "")?.[0];
    return root?.includes("opendocument.text") === true ? 1 : 0;
  },
  load: async () => (await import("./read-odt.ts")).readOdt,
};
