const transitional = "http://schemas.openxmlformats.org";
const strict = "http://purl.oclc.org/ooxml";
const microsoft = "http://schemas.microsoft.com/office";

/**
 * Namespaces of Office Open XML, transitional and strict (ISO/IEC 29500), to the prefixes that readers use whatever prefixes
 * the file uses. For `XmlWalkOptions.namespaces`.
 */
export const opcNamespaces: Readonly<Record<string, string>> = {
  ...both("wordprocessingml/2006/main", "wordprocessingml/main", "w"),
  ...both("presentationml/2006/main", "presentationml/main", "p"),
  ...both("spreadsheetml/2006/main", "spreadsheetml/main", "s"),
  ...both("drawingml/2006/main", "drawingml/main", "a"),
  ...both("drawingml/2006/chart", "drawingml/chart", "c"),
  ...both("drawingml/2006/diagram", "drawingml/diagram", "dgm"),
  ...both("drawingml/2006/picture", "drawingml/picture", "pic"),
  ...both("drawingml/2006/spreadsheetDrawing", "drawingml/spreadsheetDrawing", "xdr"),
  ...both("drawingml/2006/wordprocessingDrawing", "drawingml/wordprocessingDrawing", "wp"),
  ...both("officeDocument/2006/relationships", "officeDocument/relationships", "r"),
  ...both("officeDocument/2006/math", "officeDocument/math", "m"),
  ...both("officeDocument/2006/extended-properties", "officeDocument/extendedProperties", "ep"),
  ...both("officeDocument/2006/docPropsVTypes", "officeDocument/docPropsVTypes", "vt"),
  [`${transitional}/package/2006/content-types`]: "",
  [`${transitional}/package/2006/relationships`]: "",
  [`${transitional}/package/2006/metadata/core-properties`]: "cp",
  [`${transitional}/markup-compatibility/2006`]: "mc",
  "http://purl.org/dc/elements/1.1/": "dc",
  "http://purl.org/dc/terms/": "dcterms",
  "urn:schemas-microsoft-com:vml": "v",
  "urn:schemas-microsoft-com:office:office": "o",
  "urn:schemas-microsoft-com:office:word": "w10",
  [`${microsoft}/2006/xmlPackage`]: "pkg",
  [`${microsoft}/drawing/2007/8/2/chart`]: "c14",
  [`${microsoft}/drawing/2008/diagram`]: "dsp",
  [`${microsoft}/drawing/2010/main`]: "a14",
  [`${microsoft}/drawing/2014/chartex`]: "cx",
  [`${microsoft}/drawing/2017/decorative`]: "adec",
  [`${microsoft}/powerpoint/2010/main`]: "p14",
  [`${microsoft}/spreadsheetml/2009/9/main`]: "x14",
  [`${microsoft}/word/2010/wordml`]: "w14",
  [`${microsoft}/word/2010/wordprocessingCanvas`]: "wpc",
  [`${microsoft}/word/2010/wordprocessingDrawing`]: "wp14",
  [`${microsoft}/word/2010/wordprocessingGroup`]: "wpg",
  [`${microsoft}/word/2010/wordprocessingShape`]: "wps",
  [`${microsoft}/word/2012/wordml`]: "w15",
};

function both(transitionalPath: string, strictPath: string, prefix: string): Record<string, string> {
  return { [`${transitional}/${transitionalPath}`]: prefix, [`${strict}/${strictPath}`]: prefix };
}
