import { makeZip } from "@attune/testkit/make-zip.ts";
import { describe, expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import type { ReadOptions } from "../reader.ts";
import { readSource } from "../../reading/read-source.ts";
import { readOdp } from "./read-odp.ts";

const odf = "urn:oasis:names:tc:opendocument:xmlns";
const declarations = [
  ...["office", "text", "table", "style", "presentation"].map((name) => `xmlns:${name}="${odf}:${name}:1.0"`),
  `xmlns:draw="${odf}:drawing:1.0"`,
].join(" ");

async function read(pages: string, options: Partial<ReadOptions> = {}) {
  const warnings: string[] = [];
  const styles = `<style:style style:name="H" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>`;
  const content = `<office:document-content ${declarations}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:presentation>${pages}</office:presentation></office:body></office:document-content>`;
  const { blocks } = await readOdp(
    { bytes: makeZip([{ name: "content.xml", bytes: content }]), fileName: "a.odp", format: "odp" },
    {
      options: { pages: [], headersFooters: "drop", images: "placeholder", ...options },
      budget: new Budget(defaultLimits),
      depth: 0,
      warn: (sentence) => warnings.push(sentence),
      readPart: () => Promise.reject(new Error("no parts")),
    },
  );
  return { blocks: blocks.map(({ source, ...block }) => ({ ...block, page: source?.page })), warnings };
}

const frame = (kind: string, text: string): string =>
  `<draw:frame presentation:class="${kind}"><draw:text-box>${text}</draw:text-box></draw:frame>`;
const page = (content: string, attributes = ""): string => `<draw:page ${attributes}>${content}</draw:page>`;

describe("slides", () => {
  test("what masters say of their own is told, and read once when asked for", async () => {
    const shape = (text: string): string =>
      `<draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
    const master = `<style:master-page style:name="M">${frame("title", "<text:p>Click</text:p>")}${shape("Our firm")}${shape("<text:page-number>1</text:page-number>")}</style:master-page>`;
    const slide = page(shape("words"), 'draw:master-page-name="M"');
    const flat = `<office:document ${declarations} office:mimetype="application/vnd.oasis.opendocument.presentation"><office:master-styles>${master}</office:master-styles><office:body><office:presentation>${slide}${slide}</office:presentation></office:body></office:document>`;
    const readFlat = (headersFooters: "drop" | "keep") =>
      readSource(
        { bytes: Buffer.from(flat), fileName: "a.fodp", format: "odp" },
        { pages: [], headersFooters, images: "placeholder" },
        new Budget(defaultLimits),
      );
    const textsOf = ({ document }: Awaited<ReturnType<typeof readFlat>>): unknown[] =>
      document.blocks.flatMap((block) => (block.type === "paragraph" ? block.inlines : []));

    const dropped = await readFlat("drop");
    expect(textsOf(dropped)).toEqual(["words", "words"]);
    expect(dropped.warnings).toEqual([
      "Text that masters repeat on slides was left out (shapes: 1). Ask for it with `headers_footers`.",
    ]);
    const kept = await readFlat("keep");
    expect(textsOf(kept)).toEqual(["words", "Our firm", "words"]);
    expect(kept.warnings).toEqual([]);
  });

  test("comments on them are told", async () => {
    const comment = "<office:annotation><text:p>gone</text:p></office:annotation>";
    const { blocks, warnings } = await read(page(comment + frame("outline", "<text:p>words</text:p>")));

    expect(blocks).toMatchObject([{ type: "pageBreak" }, { type: "paragraph", inlines: ["words"] }]);
    expect(warnings).toEqual(["Comments were left out."]);
  });

  test("begin with their title wherever it stands", async () => {
    const { blocks } = await read(
      page(
        frame("outline", "<text:p>words</text:p>") +
          frame("title", "<text:list><text:list-item><text:p>Title</text:p></text:list-item></text:list>"),
      ),
    );

    expect(blocks).toEqual([
      { type: "pageBreak", number: 1, page: 1 },
      { type: "heading", level: 1, inlines: ["Title"], page: 1 },
      { type: "paragraph", inlines: ["words"], page: 1 },
    ]);
  });

  test("that are hidden are left out and told, unless asked for", async () => {
    const pages =
      page(frame("title", "<text:p>Seen</text:p>")) +
      page(frame("title", "<text:p>Unseen</text:p>"), 'draw:style-name="H"');

    const shown = await read(pages);
    const asked = await read(pages, { pages: [{ first: 2, last: 2 }] });

    expect(JSON.stringify(shown.blocks)).not.toContain("Unseen");
    expect(shown.warnings).toEqual(["Hidden slides were left out: 2. Ask for them with `pages`."]);
    expect(JSON.stringify(asked.blocks)).toContain("Unseen");
  });

  test("have running texts only when asked", async () => {
    const pages = page(frame("footer", "<text:p>Foot</text:p>"));

    expect(JSON.stringify((await read(pages)).blocks)).not.toContain("Foot");
    expect(JSON.stringify((await read(pages, { headersFooters: "keep" })).blocks)).toContain("Foot");
  });

  test("that do not exist are refused", async () => {
    await expect(read(page(""), { pages: [{ first: 7, last: 9 }] })).rejects.toMatchObject({ reason: "PAGES_INVALID" });
  });
});

describe("hostile slides", () => {
  test("groups five hundred deep are refused", async () => {
    await expect(read(page("<draw:g>".repeat(500) + "</draw:g>".repeat(500)))).rejects.toMatchObject({
      reason: "MARKUP_REFUSED",
    });
  });

  test("table repeats are bounded", async () => {
    const table = `<draw:frame><table:table><table:table-row table:number-rows-repeated="2147483647"><table:table-cell table:number-columns-spanned="2147483647"><text:p>x</text:p></table:table-cell></table:table-row></table:table></draw:frame>`;
    const { blocks } = await read(page(table));

    expect(blocks.at(-1)).toMatchObject({ type: "table" });
  });
});
