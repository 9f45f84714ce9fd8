import type { Format } from "../format.ts";

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
  load: async () => (await import("./read-odp.ts")).readOdp,
};
