import { makeZip } from "@attune/testkit/make-zip.ts";
import { describe, expect, test } from "vitest";
import type { Block } from "../../document/document.ts";
import { Budget, type DocumentLimits } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import type { ReadOptions } from "../reader.ts";
import { readOdt } from "./read-odt.ts";

const odf = "urn:oasis:names:tc:opendocument:xmlns";
const declarations = [
  ...["office", "text", "table", "style", "manifest"].map((name) => `xmlns:${name}="${odf}:${name}:1.0"`),
  `xmlns:draw="${odf}:drawing:1.0"`,
  `xmlns:fo="${odf}:xsl-fo-compatible:1.0"`,
  `xmlns:xlink="http://www.w3.org/1999/xlink"`,
].join(" ");

const contentOf = (body: string, styles = ""): string =>
  `<office:document-content ${declarations}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`;

const packed = (members: Readonly<Record<string, string>>): Buffer =>
  makeZip(Object.entries(members).map(([name, bytes]) => ({ name, bytes })));

async function read(bytes: Uint8Array, options: Partial<ReadOptions> = {}, limits: Partial<DocumentLimits> = {}) {
  const warnings: string[] = [];
  const { blocks } = await readOdt(
    { bytes, fileName: "a.odt", format: "odt" },
    {
      options: { pages: [], headersFooters: "drop", images: "placeholder", ...options },
      budget: new Budget({ ...defaultLimits, ...limits }),
      depth: 0,
      warn: (sentence) => warnings.push(sentence),
      readPart: () => Promise.reject(new Error("no parts")),
    },
  );
  return { blocks, warnings };
}

const readBody = async (body: string, styles = ""): Promise<readonly Block[]> =>
  (await read(packed({ "content.xml": contentOf(body, styles) }))).blocks;

describe("paragraphs", () => {
  test("white space of the file is one space, spaces that count stay", async () => {
    expect(await readBody(`<text:p> a\n\t b<text:s text:c="3"/>c</text:p>`)).toEqual([
      { type: "paragraph", inlines: ["a b   c"] },
    ]);
  });

  test("styles follow their parents, and spans clear what is around them", async () => {
    const styles =
      `<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>` +
      `<style:style style:name="C" style:family="text" style:parent-style-name="B"/>` +
      `<style:style style:name="N" style:family="text"><style:text-properties fo:font-weight="normal"/></style:style>`;

    expect(
      await readBody(
        `<text:p><text:span text:style-name="C">bold <text:span text:style-name="N">plain</text:span></text:span></text:p>`,
        styles,
      ),
    ).toEqual([{ type: "paragraph", inlines: [{ type: "strong", inlines: ["bold"] }, " plain"] }]);
  });

  test("links inside the document are only words, links to programs too", async () => {
    const blocks = await readBody(
      `<text:p><text:a xlink:href="#a">in</text:a> <text:a xlink:href="javascript:x()">run</text:a> <text:a xlink:href="https://a.example/">out</text:a></text:p>`,
    );

    expect(blocks).toEqual([
      { type: "paragraph", inlines: ["in run ", { type: "link", target: "https://a.example/", inlines: ["out"] }] },
    ]);
  });

  test("the reading of a ruby annotation stands in parentheses", async () => {
    const body = `<text:p><text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby>。</text:p>`;

    expect(await readBody(body)).toEqual([{ type: "paragraph", inlines: ["漢字(かんじ)。"] }]);
  });

  test("an object of another program is told", async () => {
    const body = `<text:p>a<draw:frame><draw:object-ole xlink:href="./Object 1"/></draw:frame></text:p>`;
    const { warnings } = await read(packed({ "content.xml": contentOf(body, "") }));

    expect(warnings).toEqual(["An embedded object was left out; its picture, if any, stands for it."]);
  });

  test("text in wrappers that are not known is read", async () => {
    expect(await readBody("<text:unheard-of><text:p>a</text:p></text:unheard-of>")).toEqual([
      { type: "paragraph", inlines: ["a"] },
    ]);
  });

  test("hidden and deleted text is left out and told", async () => {
    const styles = `<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>`;
    const body = `<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>seen<text:span text:style-name="H">unseen</text:span></text:p>`;
    const { blocks, warnings } = await read(packed({ "content.xml": contentOf(body, styles) }));

    expect(blocks).toEqual([{ type: "paragraph", inlines: ["seen"] }]);
    expect(warnings).toEqual(["Text deleted under tracked changes was left out.", "Hidden text was left out."]);
  });
});

describe("lists", () => {
  const styles = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>`;
  const list = (items: readonly string[], attributes = ""): string =>
    `<text:list text:style-name="L" ${attributes}>${items.map((item) => `<text:list-item><text:p>${item}</text:p></text:list-item>`).join("")}</text:list>`;
  const starts = (blocks: readonly Block[]): unknown[] =>
    blocks.flatMap((block) => (block.type === "list" ? [block.start ?? 1] : []));

  test("go on where the list before ended, or begin anew", async () => {
    const body = `${list(["a", "b"])}<text:p>x</text:p>${list(["c"], 'text:continue-numbering="true"')}<text:p>y</text:p>${list(["d"])}`;

    expect(starts(await readBody(body, styles))).toEqual([1, 3, 1]);
  });

  test("go on after a list that is named by its id", async () => {
    const body = `${list(["a"], 'xml:id="one"')}<text:p>x</text:p>${list(["b"], 'xml:id="two"')}<text:p>y</text:p>${list(["c"], 'text:continue-list="one"')}`;

    expect(starts(await readBody(body, styles))).toEqual([1, 1, 2]);
  });

  test("headings that stand in a list are headings", async () => {
    const body = `<text:list text:style-name="L"><text:list-item><text:h text:outline-level="2">Numbered</text:h></text:list-item></text:list>`;

    expect(await readBody(body, styles)).toEqual([{ type: "heading", level: 2, inlines: ["Numbered"] }]);
  });
});

describe("hostile texts are bounded", () => {
  test("repeat counts of two thousand million", async () => {
    const cell = `<table:table-cell table:number-columns-repeated="2147483647"><text:p>x<text:s text:c="2147483647"/>y</text:p></table:table-cell>`;
    const body = `<table:table><table:table-row table:number-rows-repeated="2147483647">${cell}</table:table-row></table:table>`;
    const { blocks } = await read(packed({ "content.xml": contentOf(body) }), {}, { maxTableCells: 2_000_000 });
    const [table] = blocks;

    expect(table?.type === "table" ? [table.rows.length, table.rows[0]?.length] : []).toEqual([1000, 1024]);
    await expect(read(packed({ "content.xml": contentOf(body) }), {}, { maxTableCells: 1000 })).rejects.toMatchObject({
      reason: "LIMIT_EXCEEDED",
    });
  });

  test("elements ten thousand deep", async () => {
    const body = `${"<text:section>".repeat(10_000)}${"</text:section>".repeat(10_000)}`;

    await expect(read(packed({ "content.xml": contentOf(body) }))).rejects.toMatchObject({ reason: "MARKUP_REFUSED" });
  });

  test("a document type declaration", async () => {
    await expect(
      read(packed({ "content.xml": `<!DOCTYPE a [<!ENTITY b "c">]>${contentOf("<text:p>&b;</text:p>")}` })),
    ).rejects.toMatchObject({
      reason: "MARKUP_REFUSED",
    });
  });

  test("styles that derive from each other", async () => {
    const styles = `<style:style style:name="A" style:family="paragraph" style:parent-style-name="B"/><style:style style:name="B" style:family="paragraph" style:parent-style-name="A"/>`;

    expect(await readBody(`<text:p text:style-name="A">x</text:p>`, styles)).toEqual([
      { type: "paragraph", inlines: ["x"] },
    ]);
  });

  test("an object that is missing, outside or damaged leaves the text", async () => {
    const frame = (href: string): string => `<draw:frame><draw:object xlink:href="${href}"/></draw:frame>`;
    const body = `<text:p>x${frame("./Object 1")}${frame("../../etc/passwd")}${frame("https://a.example/")}${frame("./Object 2")}</text:p>`;
    const { blocks, warnings } = await read(
      packed({ "content.xml": contentOf(body), "Object 2/content.xml": "<math" }),
    );

    expect(blocks).toEqual([{ type: "paragraph", inlines: ["x"] }]);
    expect(warnings.join()).toContain("Object 2/content.xml is damaged");
  });
});

describe("refusals say why", () => {
  test("an encrypted text without and with a password", async () => {
    const manifest = `<manifest:manifest ${declarations}><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`;
    const file = packed({ "content.xml": "noise", "META-INF/manifest.xml": manifest });

    await expect(read(file)).rejects.toMatchObject({ reason: "PASSWORD_REQUIRED" });
    await expect(read(file, { password: "x" })).rejects.toMatchObject({ reason: "ENCRYPTION_UNSUPPORTED" });
  });

  test("a package without content, and content of another kind", async () => {
    await expect(read(packed({ "styles.xml": "<a/>" }))).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
    await expect(
      read(packed({ "content.xml": contentOf("").replaceAll("office:text", "office:chart") })),
    ).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });
});
