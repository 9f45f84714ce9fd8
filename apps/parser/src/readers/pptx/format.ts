import type { Format } from "../format.ts";

export const pptx: Format = {
  name: "pptx",
  description: "PowerPoint presentation",
  extensions: ["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
  mediaTypes: [
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
    "application/vnd.openxmlformats-officedocument.presentationml.template",
    "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
    "application/vnd.ms-powerpoint.template.macroenabled.12",
  ],
  sniff: ({ zip }) => {
    if (zip?.contentTypes !== undefined && mainType.test(zip.contentTypes)) return 1;
    return zip?.names.has("ppt/presentation.xml") === true ? 0.8 : 0;
  },
  load: async () => (await import("./read-pptx.ts")).readPptx,
};

const mainType =
  /vnd\.(?:openxmlformats-officedocument\.presentationml|ms-powerpoint)\.(?:presentation|slideshow|template)(?:\.macroEnabled)?\.main\+xml/i;
