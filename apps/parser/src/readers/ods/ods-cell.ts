import type { ImageBlock } from "../../document/document.ts";
import type { XmlAttributes } from "../../xml/walk-xml.ts";

/** One cell while its elements go by. */
export class OdsCell {
  readonly repeats: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
  /** Hidden under the merged cell before it. */
  readonly isCovered: boolean;
  readonly #date: string | undefined;
  readonly #paragraphs: string[] = [];
  readonly #shapeTexts: string[] = [];
  readonly images: ImageBlock[] = [];
  readonly #notes: string[] = [];
  link: string | undefined;
  #current: string | undefined;
  #annotationDepth = 0;
  #shapeDepth = 0;
  #metaDepth = 0;
  #description: "title" | "desc" | undefined;
  #image: { alt: string; reference: string | undefined } | undefined;

  constructor(attributes: XmlAttributes, isCovered: boolean) {
    this.isCovered = isCovered;
    this.repeats = countOf(attributes, "table:number-columns-repeated");
    this.rowSpan = countOf(attributes, "table:number-rows-spanned");
    this.columnSpan = countOf(attributes, "table:number-columns-spanned");
    const type = attributes.get("office:value-type") ?? attributes.get("calcext:value-type");
    const date = type === "date" ? attributes.get("office:date-value") : undefined;
    this.#date = date?.replace(/T00:00:00(?:\.0+)?$/, "").replace(/(\d\d:\d\d:\d\d)\.\d+$/, "$1");
  }

  /**
   * What the cell shows; dates as ISO 8601, because the text of the file depends on the locale of the program that wrote it.
   */
  get value(): string {
    const text = this.#paragraphs.join("\n").trim();
    return this.#date !== undefined && text !== "" ? this.#date : text;
  }

  get note(): string {
    return this.#notes.join(" ").trim();
  }

  get shapeTexts(): readonly string[] {
    return this.#shapeTexts;
  }

  get isFilled(): boolean {
    return (
      this.#paragraphs.length > 0 || this.#notes.length > 0 || this.#shapeTexts.length > 0 || this.images.length > 0
    );
  }

  open(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case "office:annotation":
        this.#annotationDepth++;
        return;
      case "text:p":
      case "text:h":
        this.#current = "";
        return;
      case "svg:title":
      case "svg:desc":
        this.#description = name === "svg:title" ? "title" : "desc";
        return;
      case "dc:creator":
      case "dc:date":
      case "meta:date-string":
        this.#metaDepth++;
        return;
      default:
        this.#openInText(name, attributes);
    }
  }

  #openInText(name: string, attributes: XmlAttributes): void {
    if (name === "text:s") this.#append(" ".repeat(Math.min(256, countOf(attributes, "text:c"))));
    else if (name === "text:tab") this.#append(" ");
    else if (name === "text:line-break") this.#append("\n");
    else if (name === "text:a") this.#openLink(attributes);
    else if (name === "draw:image")
      this.#image = { alt: this.#image?.alt ?? "", reference: attributes.get("xlink:href") };
    else if (name.startsWith("draw:")) {
      if (this.#shapeDepth++ === 0) this.#image = undefined;
    }
  }

  #openLink(attributes: XmlAttributes): void {
    const target = attributes.get("xlink:href") ?? "";
    if (/^(?:https?|ftp|mailto):/i.test(target)) this.link ??= target;
  }

  text(text: string): void {
    if (this.#description !== undefined) this.#describe(text.trim());
    else if (this.#metaDepth === 0) this.#append(text.replaceAll(/[ \t\n\r]+/g, " "));
  }

  #describe(text: string): void {
    if (text === "") return;
    const image = this.images.at(-1);
    if (this.#shapeDepth > 0) this.#image = { alt: text, reference: this.#image?.reference };
    else if (image !== undefined) this.images[this.images.length - 1] = { ...image, alt: text };
  }

  #append(text: string): void {
    if (this.#current !== undefined) this.#current += text;
  }

  close(name: string): void {
    if (name === "text:p" || name === "text:h") this.#endParagraph();
    else if (name === "office:annotation") this.#annotationDepth--;
    else if (name === "svg:title" || name === "svg:desc") this.#description = undefined;
    else if (name === "dc:creator" || name === "dc:date" || name === "meta:date-string") this.#metaDepth--;
    else if (name.startsWith("draw:") && name !== "draw:image") this.#endShape();
  }

  #endShape(): void {
    this.#shapeDepth--;
    if (this.#shapeDepth > 0 || this.#image?.reference === undefined) return;
    this.images.push({ type: "image", alt: this.#image.alt, reference: this.#image.reference });
    this.#image = undefined;
  }

  #endParagraph(): void {
    const text = this.#current ?? "";
    this.#current = undefined;
    if (this.#annotationDepth > 0) this.#notes.push(text.trim());
    else if (this.#shapeDepth === 0) this.#paragraphs.push(text);
    else if (text.trim() !== "") this.#shapeTexts.push(text.trim());
  }
}

function countOf(attributes: XmlAttributes, name: string): number {
  const count = Number(attributes.get(name) ?? 1);
  return count >= 1 ? Math.min(2 ** 21, Math.floor(count)) : 1;
}
