import type { CompoundListing } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

/*
 * Files of office programs that only other engines read, or none: known by their bytes, so that they are told apart and
 * refused by name.
 */

const holding =
  (...names: readonly string[]): ((compound: CompoundListing | undefined) => number) =>
  (compound) =>
    compound !== undefined && names.every((name) => compound.names.has(name)) ? 0.9 : 0;

export const vsd: Format = {
  name: "vsd",
  description: "Visio drawing of 2000 to 2010",
  extensions: ["vsd", "vst", "vss"],
  mediaTypes: ["application/vnd.visio"],
  sniff: ({ compound }) => holding("VisioDocument")(compound),
  remedy: "Open it in Visio and save it as .vsdx.",
};

export const pub: Format = {
  name: "pub",
  description: "Publisher document",
  extensions: ["pub"],
  mediaTypes: ["application/vnd.ms-publisher", "application/x-mspublisher"],
  sniff: ({ compound }) => holding("Quill", "Contents")(compound),
  remedy: "Open it in Publisher and save it as PDF.",
};

export const wps: Format = {
  name: "wps",
  description: "Microsoft Works document",
  extensions: ["wps", "wpt"],
  mediaTypes: ["application/vnd.ms-works"],
  sniff: ({ compound }) => {
    if (compound === undefined || compound.names.has("Quill")) return 0;
    // Works 3 and 4, then Works 2000 and later, whose only stream has a name that others use too.
    if (compound.names.has("MatOST")) return 0.9;
    return compound.names.has("CONTENTS") && !compound.names.has("WordDocument") ? 0.5 : 0;
  },
  remedy: "Open it in Word or LibreOffice and save it as .docx.",
};

export const wpd: Format = {
  name: "wpd",
  description: "WordPerfect document",
  extensions: ["wpd", "wp", "wp5", "wp6"],
  mediaTypes: ["application/vnd.wordperfect", "application/wordperfect"],
  sniff: ({ headLatin1 }) => (headLatin1.startsWith("\u00ffWPC") ? 0.9 : 0),
  remedy: "Open it in WordPerfect, Word or LibreOffice and save it as .docx.",
};

/** `{7B5C52E4-D88C-4DA7-AEB1-5378D02996D3}` and that of tables of contents, as they lie in the file ([MS-ONESTORE] 2.3.1). */
const oneNoteFiles = [
  "\u00e4\u0052\u005c\u007b\u008c\u00d8\u00a7\u004d\u00ae\u00b1\u0053\u0078\u00d0\u0029\u0096\u00d3",
  "\u00a1\u002f\u00ff\u0043\u00d9\u00ef\u0076\u004c\u009e\u00e2\u0010\u00ea\u0057\u0022\u0076\u005f",
];

export const oneNote: Format = {
  name: "onenote",
  description: "OneNote section",
  extensions: ["one", "onetoc2", "onepkg"],
  mediaTypes: ["application/onenote", "application/msonenote"],
  sniff: ({ headLatin1 }) => (oneNoteFiles.some((mark) => headLatin1.startsWith(mark)) ? 1 : 0),
  remedy: "Open it in OneNote and export its pages as PDF or .docx.",
};
