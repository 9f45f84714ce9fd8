import type { Format } from "../format.ts";

const load: NonNullable<Format["load"]> = async () => (await import("./read-odp.ts")).readOdp;

const mediaTypes = [
  "application/vnd.oasis.opendocument.presentation",
  "application/vnd.oasis.opendocument.presentation-template",
  "application/vnd.oasis.opendocument.presentation-flat-xml",
];

export const odp: Format = {
  name: "odp",
  description: "OpenDocument presentation, also as a template or flat XML",
  extensions: ["odp", "otp", "fodp"],
  mediaTypes,
  sniff: ({ zip, headText }) => {
    if (zip?.mimetype !== undefined) return mediaTypes.includes(zip.mimetype.toLowerCase()) ? 1 : 0;
    // Packed again by hand, the media type is not where it should be; the name then tells which kind it is.
    if (zip !== undefined) return zip.names.has("content.xml") && zip.names.has("META-INF/manifest.xml") ? 0.5 : 0;
    const root = /<office:document\b[^<>]*>/.exec(headText?.slice(0, 16_384) ?? "")?.[0];
    return root?.includes("opendocument.presentation") === true ? 1 : 0;
  },
  load,
};

const drawingTypes = [
  "application/vnd.oasis.opendocument.graphics",
  "application/vnd.oasis.opendocument.graphics-template",
  "application/vnd.oasis.opendocument.graphics-flat-xml",
];

export const odg: Format = {
  name: "odg",
  description: "OpenDocument drawing, also as a template or flat XML",
  extensions: ["odg", "otg", "fodg"],
  mediaTypes: drawingTypes,
  sniff: ({ zip, headText }) => {
    if (zip !== undefined) return drawingTypes.includes(zip.mimetype?.toLowerCase() ?? "") ? 1 : 0;
    const root = /<office:document\b[^<>]*>/.exec(headText?.slice(0, 16_384) ?? "")?.[0];
    return root?.includes("opendocument.graphics") === true ? 1 : 0;
  },
  load,
};
