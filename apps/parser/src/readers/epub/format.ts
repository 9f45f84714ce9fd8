import type { Format } from "../format.ts";

export const epub: Format = {
  name: "epub",
  description: "Electronic book (EPUB 2 and 3)",
  extensions: ["epub"],
  mediaTypes: ["application/epub+zip"],
  sniff: ({ zip }) => {
    if (zip === undefined) return 0;
    if (zip.mimetype === "application/epub+zip") return 1;
    const names = [...zip.names];
    const hasPackage = zip.names.has("META-INF/container.xml") && names.some((name) => name.endsWith(".opf"));
    return hasPackage ? 0.95 : 0;
  },
  load: async () => (await import("./read-epub.ts")).readEpub,
};
