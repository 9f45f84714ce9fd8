import type { Format } from "../format.ts";

/** What the stream `FileHeader` of a document of version 5 begins with (HWP 5.0, 3.2.1). */
const streamName = "FileHeader";

export const hwp: Format = {
  name: "hwp",
  description: "Hangul (한글) document, version 5",
  extensions: ["hwp", "hwt"],
  mediaTypes: ["application/vnd.hancom.hwp", "application/x-hwp", "application/haansofthwp"],
  sniff: ({ compound }) => (compound?.names.has(streamName) === true && compound.names.has("DocInfo") ? 1 : 0),
  load: async () => (await import("./read-hwp.ts")).readHwp,
};

export const hwpx: Format = {
  name: "hwpx",
  description: "Hangul (한글) document in XML (HWPX, OWPML)",
  extensions: ["hwpx", "owpml"],
  mediaTypes: ["application/vnd.hancom.hwpx", "application/hwp+zip"],
  sniff: ({ zip }) => {
    if (zip?.mimetype?.toLowerCase() === "application/hwp+zip") return 1;
    return zip?.names.has("Contents/content.hpf") === true ? 0.9 : 0;
  },
  load: async () => (await import("./read-hwpx.ts")).readHwpx,
};

/** Read by engines that convert it. */
export const hwp3: Format = {
  name: "hwp3",
  description: "Hangul (한글) document of version 3 (1996–1999)",
  extensions: [],
  mediaTypes: [],
  sniff: ({ headLatin1 }) => (headLatin1.startsWith("HWP Document File V") ? 1 : 0),
  remedy: "Open it in Hangul and save it as .hwpx.",
};
