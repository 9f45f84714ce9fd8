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

export const iwork: Format = {
  name: "iwork",
  description: "Apple Pages, Numbers or Keynote document",
  extensions: ["pages", "numbers", "key"],
  mediaTypes: ["application/vnd.apple.pages", "application/vnd.apple.numbers", "application/vnd.apple.keynote"],
  sniff: having((names) =>
    some(names, /^(Index\/Document\.iwa|Index\.zip|index\.(xml|apxl)(\.gz)?|.*\/Index\.zip|\.iwpv2)$/),
  ),
};

export const vsdx: Format = {
  name: "vsdx",
  description: "Visio drawing",
  extensions: ["vsdx", "vsdm", "vstx", "vstm", "vssx", "vssm"],
  mediaTypes: ["application/vnd.ms-visio.drawing"],
  sniff: having((names) => names.has("visio/document.xml")),
};

export const xps: Format = {
  name: "xps",
  description: "XPS document",
  extensions: ["xps", "oxps"],
  mediaTypes: ["application/vnd.ms-xpsdocument", "application/oxps"],
  sniff: having((names) => some(names, /\.(fdseq|fpage)(\/\[0\]\.piece)?$/i)),
};

export const idml: Format = {
  name: "idml",
  description: "InDesign document",
  extensions: ["idml"],
  mediaTypes: ["application/vnd.adobe.indesign-idml-package"],
  sniff: having((names) => names.has("designmap.xml")),
};

export const programPackage: Format = {
  name: "program-package",
  description: "Program packed as an archive",
  extensions: ["jar", "war", "ear", "apk", "ipa", "xpi", "nupkg", "whl"],
  mediaTypes: ["application/java-archive", "application/vnd.android.package-archive"],
  sniff: having((names) => some(names, /\.class$|^classes\.dex$|^Payload\/[^/]+\.app\/|^META-INF\/MANIFEST\.MF$/)),
};

export const otherOpenDocument: Format = {
  name: "odg",
  description: "OpenDocument drawing, formula, chart or database, and files of StarOffice and OpenOffice.org 1",
  extensions: ["odg", "otg", "odf", "odc", "odb", "sxw", "sxc", "sxi", "sxd", "stw"],
  mediaTypes: ["application/vnd.oasis.opendocument.graphics", "application/vnd.oasis.opendocument.formula"],
  // Below the readers of texts, sheets and presentations, which know their own media types for certain.
  sniff: ({ zip }) => (/^application\/vnd\.(?:oasis\.opendocument|sun\.xml)\./.test(zip?.mimetype ?? "") ? 0.9 : 0),
};
