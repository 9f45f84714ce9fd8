import type { OpcElement } from "./opc-element.ts";

/** What Office adds to the descriptions that it makes itself. */
const generatedRemark =
  /\s*(?:Description automatically generated|AI-generated content may be incorrect\.?)(?: with .{0,60} confidence)?\s*$/i;

/** A path on the author's machine, as programs put it in place of a description. */
const path = /^(?:[a-z]:|\.{0,2}[\\/]|file:).*[\\/]([^\\/]+)$/i;

/** Alternative text of a drawing's non-visual properties (`wp:docPr`, `p:cNvPr`); empty for decoration and where none is given. */
export function altTextOf(properties: OpcElement | undefined): string {
  if (properties === undefined || properties.descendant("adec:decorative")?.get("val") === "1") return "";
  return cleanAltText(properties.get("descr") || properties.get("title") || "");
}

/** A description without what programs make of it. */
export function cleanAltText(text: string): string {
  return text.replaceAll(/\s+/g, " ").replace(generatedRemark, "").trim().replace(path, "$1");
}
