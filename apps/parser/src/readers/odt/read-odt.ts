import { AppError } from "@attune/service-kit/app-error.ts";
import { OdfBlocks } from "../../containers/odf-blocks.ts";
import type { OdfContext } from "../../containers/odf-context.ts";
import { type OdfElement, parseOdfElement } from "../../containers/odf-element.ts";
import { OdfNotes } from "../../containers/odf-notes.ts";
import { openOdf } from "../../containers/odf-package.ts";
import { OdfStyles } from "../../containers/odf-styles.ts";
import { mathmlToLatex } from "../../math/mathml-to-latex.ts";
import type { ReadContext, ReadDocument } from "../reader.ts";

/** Reads an OpenDocument text. */
export const readOdt: ReadDocument = (input, context) => {
  const { budget, options } = context;
  const warn = (sentence: string): void => context.warn(sentence);
  const opened = openOdf(input.bytes, { budget, password: options.password, warn });
  const content = parseOdfElement(opened.contentXml, budget.limits.maxMarkupDepth);
  const body = content.child("office:body")?.child("office:text");
  if (body === undefined) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no text body." });
  const odf: OdfContext = {
    package: opened,
    styles: new OdfStyles([opened.styles, content]),
    notes: new OdfNotes(),
    budget,
    images: options.images,
    renderMath: mathmlToLatex,
    warn,
  };
  const blocks = new OdfBlocks(odf, hasTitle(body, odf.styles) ? 1 : 0);
  const running = runningTexts(opened.styles ?? content, context);
  const before = running.header.flatMap((part) => blocks.read(part));
  const text = blocks.read(body);
  const after = running.footer.flatMap((part) => blocks.read(part));
  return { metadata: opened.metadata, blocks: [...before, ...text, ...after, ...odf.notes.footnotes] };
};

// Under a title, headings begin at the second level.
function hasTitle(body: OdfElement, styles: OdfStyles): boolean {
  return body
    .elements("text:p")
    .some(
      (paragraph) =>
        styles.paragraphKind(paragraph.get("text:style-name")).type === "title" && paragraph.text.trim() !== "",
    );
}

interface RunningTexts {
  readonly header: readonly OdfElement[];
  readonly footer: readonly OdfElement[];
}

/** Header and footer of the first page style that has any; none unless they are asked for. */
function runningTexts(root: OdfElement, { options }: ReadContext): RunningTexts {
  if (options.headersFooters === "drop") return { header: [], footer: [] };
  const pages = root.child("office:master-styles")?.elements("style:master-page") ?? [];
  const find = (name: string): OdfElement[] => pages.flatMap((page) => page.elements(name)).slice(0, 1);
  return { header: find("style:header"), footer: find("style:footer") };
}
