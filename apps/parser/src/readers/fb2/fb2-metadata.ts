import type { Metadata } from "../../document/document.ts";
import { childElements, elementText, findDescendant, type XmlElement } from "../../xml/xml-tree.ts";

export function readMetadata(root: XmlElement): Metadata {
  const about = findDescendant(root, "title-info");
  if (about === undefined) return {};
  const text = (name: string): string => elementText(childElements(about, name)[0]);
  const authors = childElements(about, "author")
    .map(nameOf)
    .filter((name) => name !== "");
  const keywords = text("keywords")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const date = childElements(about, "date")[0];
  const createdAt = date?.attributes.get("value") ?? elementText(date);
  const [title, subject, language] = [text("book-title"), text("annotation"), text("lang")];
  return {
    ...(title !== "" && { title }),
    ...(authors.length > 0 && { authors }),
    ...(subject !== "" && { subject }),
    ...(keywords.length > 0 && { keywords }),
    ...(language !== "" && { language }),
    ...(/^\d{4}(?:-\d\d(?:-\d\d)?)?$/.test(createdAt) && { createdAt }),
  };
}

function nameOf(author: XmlElement): string {
  const parts = ["first-name", "middle-name", "last-name"].map((name) => elementText(childElements(author, name)[0]));
  return parts.filter((part) => part !== "").join(" ") || elementText(childElements(author, "nickname")[0]);
}
