import { makeZip } from "./make-zip.ts";

const relationshipTypes = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const declarations = [
  `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`,
  `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`,
  `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"`,
  `xmlns:r="${relationshipTypes}"`,
  `xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`,
  `xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"`,
  `xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"`,
  `xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"`,
  `xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"`,
  `xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`,
  `xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"`,
  `xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"`,
  `xmlns:v="urn:schemas-microsoft-com:vml"`,
  `xmlns:o="urn:schemas-microsoft-com:office:office"`,
].join(" ");

/** A relationship of a part: the last segment of its type, its target, and whether that is outside of the file. */
export interface OoxmlLink {
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  readonly isExternal?: boolean;
}

export interface DocxParts {
  /** Content of `w:body`. */
  readonly body: string;
  /** Content of `w:styles`, `w:numbering`, `w:footnotes`, … by the kind of the part. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly links?: readonly OoxmlLink[];
  /** Further members by name. */
  readonly members?: Readonly<Record<string, Uint8Array | string>>;
  /** In place of the whole main part. */
  readonly mainPart?: string;
}

/** A Word document of the parts given, for tests. */
export function makeDocx({ body, parts = {}, links = [], members = {}, mainPart }: DocxParts): Buffer {
  const kinds = Object.keys(parts);
  const partLinks = kinds.map((kind) => ({ id: `part-${kind}`, kind, target: `${kind}.xml` }));
  return makePackage("word/document.xml", {
    "word/document.xml": mainPart ?? root("w:document", `<w:body>${body}</w:body>`),
    "word/_rels/document.xml.rels": relationships([...partLinks, ...links]),
    ...Object.fromEntries(kinds.map((kind) => [`word/${kind}.xml`, root(`w:${kind}`, parts[kind] ?? "")])),
    ...members,
  });
}

export interface PptxSlide {
  /** Content of `p:spTree`. */
  readonly shapes: string;
  readonly attributes?: string;
  readonly links?: readonly OoxmlLink[];
}

/** A presentation of the slides given, for tests. */
export function makePptx(slides: readonly PptxSlide[], members: Readonly<Record<string, string>> = {}): Buffer {
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="s${index}"/>`).join("");
  const links = slides.map((_, index) => ({ id: `s${index}`, kind: "slide", target: `slides/slide${index + 1}.xml` }));
  const slideMembers = slides.flatMap(({ shapes, attributes = "", links: slideLinks = [] }, index) => [
    [`ppt/slides/slide${index + 1}.xml`, root("p:sld", `<p:cSld><p:spTree>${shapes}</p:spTree></p:cSld>`, attributes)],
    [`ppt/slides/_rels/slide${index + 1}.xml.rels`, relationships(slideLinks)],
  ]);
  return makePackage("ppt/presentation.xml", {
    "ppt/presentation.xml": root("p:presentation", `<p:sldIdLst>${ids}</p:sldIdLst>`),
    "ppt/_rels/presentation.xml.rels": relationships(links),
    ...Object.fromEntries(slideMembers),
    ...members,
  });
}

/** A part's XML with the usual namespaces declared. */
export function root(name: string, content: string, attributes = ""): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name} ${declarations} ${attributes}>${content}</${name}>`;
}

export function relationships(links: readonly OoxmlLink[]): string {
  const list = links.map(
    ({ id, kind, target, isExternal }) =>
      `<Relationship Id="${id}" Type="${relationshipTypes}/${kind}" Target="${target}"${isExternal === true ? ' TargetMode="External"' : ""}/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join("")}</Relationships>`;
}

function makePackage(mainPart: string, members: Readonly<Record<string, Uint8Array | string>>): Buffer {
  const kind = mainPart.startsWith("word/") ? "wordprocessingml.document" : "presentationml.presentation";
  const types =
    `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>` +
    `<Default Extension="png" ContentType="image/png"/><Override PartName="/${mainPart}" ContentType="application/vnd.openxmlformats-officedocument.${kind}.main+xml"/></Types>`;
  const all = {
    "[Content_Types].xml": types,
    "_rels/.rels": relationships([{ id: "main", kind: "officeDocument", target: mainPart }]),
    ...members,
  };
  return makeZip(Object.entries(all).map(([name, bytes]) => ({ name, bytes })));
}
