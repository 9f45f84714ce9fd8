import type { Format } from "../format.ts";
import type { ZipListing } from "../../detection/probe.ts";

/*
 * Packages that are ZIP archives inside but no archives to their users. Without a reader they are refused by name; read as
 * an archive, their inner files would pass for text.
 */

const having =
  (isSo: (names: ZipListing["names"]) => boolean): NonNullable<Format["sniff"]> =>
  ({ zip }) =>
    zip !== undefined && isSo(zip.names) ? 0.9 : 0;

const some = (names: ReadonlySet<string>, pattern: RegExp): boolean =>
  names.values().some((name) => pattern.test(name));

export const xps: Format = {
  name: "xps",
  description: "XPS document",
  extensions: ["xps", "oxps"],
  mediaTypes: ["application/vnd.ms-xpsdocument", "application/oxps"],
  sniff: having((names) => some(names, /\.(fdseq|fpage)(\/\[0\]\.piece)?$/i)),
  remedy: "Open it in a viewer and print it as PDF.",
};

export const idml: Format = {
  name: "idml",
  description: "InDesign document",
  extensions: ["idml"],
  mediaTypes: ["application/vnd.adobe.indesign-idml-package"],
  sniff: having((names) => names.has("designmap.xml")),
  remedy: "Open it in InDesign and export it as PDF or EPUB.",
};

export const programPackage: Format = {
  name: "program-package",
  description: "Program packed as an archive",
  extensions: ["jar", "war", "ear", "apk", "ipa", "xpi", "nupkg", "whl"],
  mediaTypes: ["application/java-archive", "application/vnd.android.package-archive"],
  sniff: having((names) => some(names, /\.class$|^classes\.dex$|^Payload\/[^/]+\.app\/|^META-INF\/MANIFEST\.MF$/)),
};

export const otherOpenDocument: Format = {
  name: "opendocument-other",
  description: "OpenDocument chart or database",
  extensions: ["odc", "odb", "odi"],
  mediaTypes: ["application/vnd.oasis.opendocument.chart", "application/vnd.oasis.opendocument.base"],
  // Below the readers of texts, sheets, drawings and presentations, which know their own media types for certain.
  sniff: ({ zip }) => (zip?.mimetype?.startsWith("application/vnd.oasis.opendocument.") === true ? 0.9 : 0),
  remedy: "Open it in LibreOffice and save its tables as .ods.",
};

/** A file of StarOffice 6 or OpenOffice.org 1; packed by other programs it tells its kind only by its name. */
function starOffice(kind: string, extensions: readonly string[], description: string): Format {
  const mediaType = `application/vnd.sun.xml.${kind}`;
  return {
    name: extensions[0] ?? kind,
    description: `${description} of StarOffice and OpenOffice.org 1`,
    extensions,
    mediaTypes: [mediaType],
    sniff: ({ zip }) => {
      if (zip?.mimetype !== undefined) return zip.mimetype.startsWith(mediaType) ? 1 : 0;
      return zip?.names.has("content.xml") === true && zip.names.has("META-INF/manifest.xml") ? 0.5 : 0;
    },
    remedy: "Open it in LibreOffice and save it in a current format.",
  };
}

export const sxw = starOffice("writer", ["sxw", "stw"], "Text");
export const sxc = starOffice("calc", ["sxc", "stc"], "Spreadsheet");
export const sxi = starOffice("impress", ["sxi", "sti"], "Presentation");
export const sxd = starOffice("draw", ["sxd", "std"], "Drawing");
