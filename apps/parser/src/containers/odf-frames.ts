import type { Block, ImageData, Inline } from "../document/document.ts";
import { type OdfContext, toMathTree } from "./odf-context.ts";
import { type OdfElement, parseOdfElement } from "./odf-element.ts";
import type { ToBlocks } from "./odf-spans.ts";
import { attempt, decodeXml } from "./opc-package.ts";

/** What a frame or a shape holds: something that stands in the line, or blocks beside it. */
export type FrameContent =
  | { readonly type: "inline"; readonly inline: Exclude<Inline, string> }
  | { readonly type: "blocks"; readonly blocks: readonly Block[] };

const shapeNames = new Set(
  (
    "draw:custom-shape draw:rect draw:ellipse draw:circle draw:line draw:polyline draw:polygon draw:path " +
    "draw:connector draw:caption draw:measure draw:regular-polygon"
  ).split(" "),
);

/** Reads frames, groups and shapes wherever they stand. */
export class OdfFrames {
  readonly #context: OdfContext;
  readonly #toBlocks: ToBlocks;

  constructor(context: OdfContext, toBlocks: ToBlocks) {
    this.#context = context;
    this.#toBlocks = toBlocks;
  }

  read(element: OdfElement): FrameContent[] {
    if (element.name === "draw:frame") return this.#frame(element);
    if (element.name === "draw:g" || element.name === "draw:a")
      return element.elements().flatMap((child) => this.read(child));
    if (shapeNames.has(element.name)) return toContent(this.#toBlocks(element));
    return [];
  }

  #frame(frame: OdfElement): FrameContent[] {
    const box = frame.child("draw:text-box");
    if (box !== undefined) return toContent(this.#toBlocks(box));
    const table = frame.child("table:table");
    if (table !== undefined) return toContent(this.#toBlocks(frame));
    const object = frame.child("draw:object") ?? frame.child("draw:object-ole");
    const content = object === undefined ? [] : this.#object(object, frame);
    if (content.length > 0) return content;
    const image = frame.child("draw:image");
    return image === undefined ? [] : this.#image(image, frame);
  }

  #image(image: OdfElement, frame: OdfElement): FrameContent[] {
    if (this.#context.images === "none") return [];
    const reference = image.get("xlink:href");
    const data = this.#imageData(image, reference);
    const inline = {
      type: "image" as const,
      alt: altOf(frame),
      ...(reference !== undefined && { reference }),
      ...(data !== undefined && { data }),
    };
    return [{ type: "inline", inline }];
  }

  #imageData(image: OdfElement, reference: string | undefined): ImageData | undefined {
    if (this.#context.images !== "data_uri") return undefined;
    const inline = image.child("office:binary-data")?.text;
    const mediaType = image.get("draw:mime-type") ?? image.get("loext:mime-type");
    if (inline !== undefined) return { mediaType: mediaType ?? "image/png", bytes: Buffer.from(inline, "base64") };
    const bytes = reference === undefined ? undefined : this.#read(reference);
    return bytes && { mediaType: mediaType ?? this.#context.package.mediaTypeOf(reference ?? ""), bytes };
  }

  #read(href: string): Uint8Array | undefined {
    let bytes: Uint8Array | undefined;
    attempt(href, this.#context.warn, () => {
      bytes = this.#context.package.read(href);
    });
    return bytes;
  }

  #object(object: OdfElement, frame: OdfElement): FrameContent[] {
    const root =
      object.elements().find(({ name }) => name === "math:math" || name === "office:document") ??
      this.#objectRoot(object);
    if (root === undefined) {
      this.#context.warn("An embedded object was left out; its picture, if any, stands for it.");
      return [];
    }
    const math = root.name === "math:math" ? root : undefined;
    if (math !== undefined) return this.#formula(math);
    const body = root.child("office:body");
    const chart = body?.child("office:chart")?.child("chart:chart");
    if (chart !== undefined) return this.#chart(chart, frame);
    const content = body?.child("office:text") ?? body?.child("office:spreadsheet");
    return content === undefined ? [] : toContent(this.#toBlocks(content));
  }

  #objectRoot(object: OdfElement): OdfElement | undefined {
    const href = object.get("xlink:href");
    const bytes = href === undefined ? undefined : this.#read(`${href.replace(/\/$/, "")}/content.xml`);
    if (bytes === undefined) return undefined;
    let root: OdfElement | undefined;
    attempt(`${href}/content.xml`, this.#context.warn, () => {
      const xml = decodeXml(bytes).replace(/<!DOCTYPE math:math PUBLIC "[^"<>[\]]*" "[^"<>[\]]*">/, "");
      root = parseOdfElement(xml, this.#context.budget.limits.maxMarkupDepth);
    });
    return root;
  }

  #formula(math: OdfElement): FrameContent[] {
    const latex = this.#context.renderMath(toMathTree(math));
    if (latex !== "") return [{ type: "inline", inline: { type: "formula", notation: "latex", text: latex } }];
    const annotation = math.descendant("math:annotation")?.text.trim() ?? "";
    return annotation === ""
      ? []
      : [{ type: "inline", inline: { type: "formula", notation: "text", text: annotation } }];
  }

  // The numbers of a chart are in its own table; nothing else in a text or a presentation tells them.
  #chart(chart: OdfElement, frame: OdfElement): FrameContent[] {
    const title = (chart.child("chart:title")?.text ?? "").trim() || altOf(frame);
    const blocks: Block[] = title === "" ? [] : [{ type: "paragraph", inlines: [title] }];
    return toContent([...blocks, ...this.#toBlocks(chart)]);
  }
}

function toContent(blocks: readonly Block[]): FrameContent[] {
  return blocks.length === 0 ? [] : [{ type: "blocks", blocks }];
}

function altOf(frame: OdfElement): string {
  const title = frame.child("svg:title")?.text.trim() ?? "";
  const description = frame.child("svg:desc")?.text.trim() ?? "";
  const text =
    title !== "" && description !== "" && title !== description ? `${title}: ${description}` : title || description;
  return text.replaceAll(/\s+/g, " ");
}
