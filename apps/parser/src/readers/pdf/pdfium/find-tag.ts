import type { TextStyle, TextTag } from "../page-content.ts";
import type { TextPage } from "./read-glyphs.ts";

type FoundTag = TextTag | "artifact" | undefined;

const maxMarks = 8;
/** Length in bytes of `Artifact` in UTF-16 with the final zero, and its first two letters as a little-endian integer. */
const artifactBytes = 18;
const artifactStart = 0x0072_0041;

/** A function that tells in which element of a tagged file a text object stands, with a number that tells elements apart. */
export function createTagFinder({
  pdfium,
  tags,
}: TextPage): (textObject: number) => { readonly tag: FoundTag; readonly key: number } {
  const { raw } = pdfium;
  const keys = new Map<FoundTag, number>();

  return (textObject) => {
    if (tags.size === 0) return { tag: undefined, key: 0 };
    const found = tags.get(raw._FPDFPageObj_GetMarkedContentID(textObject));
    const tag = found ?? (isArtifact(textObject) ? "artifact" : undefined);
    let key = keys.get(tag);
    if (key === undefined) keys.set(tag, (key = keys.size));
    return { tag, key };
  };

  function isArtifact(textObject: number): boolean {
    const count = Math.min(raw._FPDFPageObj_CountMarks(textObject), maxMarks);
    for (let index = 0; index < count; index++) {
      // The name goes behind the cell of its length; its first letters and their number tell it from other names.
      const mark = raw._FPDFPageObj_GetMark(textObject, index);
      const isNamed = raw._FPDFPageObjMark_GetName(mark, pdfium.cell(9), 64, pdfium.cell(8)) !== 0;
      if (isNamed && pdfium.int(8) === artifactBytes && pdfium.int(9) === artifactStart) return true;
    }
    return false;
  }
}

/** What a style says of the element in which its runs stand. */
export function styleOfTag(tag: FoundTag): Pick<TextStyle, "tag" | "taggedLevel" | "isArtifact"> {
  if (tag === undefined) return {};
  if (tag === "artifact") return { isArtifact: true };
  return { tag, ...(tag.level !== undefined && { taggedLevel: tag.level }) };
}
