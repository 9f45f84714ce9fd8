import { expect, test } from "vitest";
import type { Block, Document, Inline } from "../../document.ts";
import { renderDocument } from "../render-document.ts";
import type { RenderOptions } from "../render-options.ts";

const defaults: RenderOptions = {
  outputFormat: "markdown",
  tables: "auto",
  images: "placeholder",
  pageMarkers: false,
  frontMatter: false,
  footnotes: "keep",
  formulas: "latex",
  links: "keep",
};

function render(blocks: readonly Block[], options: Partial<RenderOptions> = {}): string {
  return renderDocument({ metadata: {}, blocks }, { ...defaults, ...options });
}

function paragraph(...inlines: Inline[]): Block {
  return { type: "paragraph", inlines };
}

test.each([
  "snake_case and a_b",
  "2 * 3 * 4",
  "C# and #hashtag",
  "1.5 and 1.x",
  "$5 and $6",
  "AT&T &c",
  "a < b > c",
  "[1] and (2)",
  "C:\\Users\\ada",
  "https://a.b/c_d?e=f&g=h",
  "5 * 3, and a note*",
  "~5 to ~6",
  "rock `n roll",
  "-5 degrees",
  "Why? Yes!",
])("%s needs no backslash", (text) => {
  expect(render([paragraph(text)])).toBe(`${text}\n`);
});

test.each([
  ["*a*", "\\*a\\*"],
  ["__init__", "\\_\\_init\\_\\_"],
  ["# a", "\\# a"],
  ["- a", "\\- a"],
  ["+ a", "\\+ a"],
  ["1. a", "1\\. a"],
  ["> a", "\\> a"],
  ["---", "\\---"],
  ["```js", "\\`\\`\\`js"],
  ["$a$", "\\$a\\$"],
  ["<b>", "\\<b>"],
  ["&amp;", "\\&amp;"],
  ["[a](b)", "[a\\](b)"],
  ["[a]: b", "\\[a]: b"],
  ["[^1]", "\\[^1]"],
  ["\\*", "\\\\*"],
  ["`a`", "\\`a\\`"],
  ["~~a~~", "\\~\\~a\\~\\~"],
])("%s is kept from being markup as %s", (text, expected) => {
  expect(render([paragraph(text)])).toBe(`${expected}\n`);
});

test("emphasis is asterisks where they work and elements where they would not", () => {
  const strong = (text: string): Inline => ({ type: "strong", inlines: [text] });

  expect(render([paragraph("a", strong("b"), "c")])).toBe("a**b**c\n");
  expect(render([paragraph("说", strong("“好”"), "了")])).toBe("说<strong>“好”</strong>了\n");
  expect(render([paragraph({ type: "emphasis", inlines: [strong("a"), " b"] })])).toBe("***a** b*\n");
});

test("lists nest, number, check and keep apart", () => {
  const item = (text: string, ...blocks: Block[]): { blocks: Block[] } => ({ blocks: [paragraph(text), ...blocks] });
  const inner: Block = { type: "list", ordered: true, start: 9, items: [item("c"), item("d")] };
  const outer: Block = { type: "list", ordered: false, items: [item("a"), { ...item("b", inner), isChecked: true }] };

  expect(render([outer, { type: "list", ordered: false, items: [item("e")] }])).toBe(
    "- a\n\n- [x] b\n\n  9. c\n  10. d\n\n* e\n",
  );
});

test("a table without spans is a GFM table, padded, with breaks for lines", () => {
  const rich = { blocks: [paragraph("l1"), paragraph("l2")] };

  expect(render([{ type: "table", headerRowCount: 1, rows: [["a", "b|c"], [rich], ["", "*x*"]] }])).toBe(
    "| a | b\\|c |\n| --- | --- |\n| l1<br>l2 |  |\n|  | \\*x\\* |\n",
  );
});

test("a table with spans is an HTML table, or GFM with empty cells where Markdown is asked for", () => {
  const rows = [
    [{ blocks: [paragraph("a & b")], columnSpan: 2 }],
    [{ blocks: [paragraph("c")], rowSpan: 2 }, "d"],
    ["e"],
  ];
  const table: Block = { type: "table", headerRowCount: 1, rows };

  expect(render([table])).toBe(
    '<table>\n<thead>\n<tr><th colspan="2">a &amp; b</th></tr>\n</thead>\n<tbody>\n' +
      '<tr><td rowspan="2">c</td><td>d</td></tr>\n<tr><td>e</td></tr>\n</tbody>\n</table>\n',
  );
  expect(render([table], { tables: "markdown" })).toBe("| a & b |  |\n| --- | --- |\n| c | d |\n|  | e |\n");
});

test("lists in the cells of an HTML table keep their checks", () => {
  const items = [
    { blocks: [paragraph("a")], isChecked: true },
    { blocks: [paragraph("b")], isChecked: false },
  ];
  const rows = [[{ blocks: [{ type: "list" as const, ordered: false, items }], columnSpan: 2 }], ["c", "d"]];
  expect(render([{ type: "table", headerRowCount: 0, rows }])).toContain(
    '<li><input type="checkbox" disabled checked> a</li><li><input type="checkbox" disabled> b</li>',
  );
});

test("a table of one wide row and many short ones is not blown up", () => {
  const wide = Array.from({ length: 10_000 }, () => "x");
  const rows = [wide, ...Array.from({ length: 10_000 }, () => ["y"])];

  expect(render([{ type: "table", headerRowCount: 1, rows }]).length).toBeLessThan(300_000);
});

test("the fence is longer than any inside", () => {
  expect(render([{ type: "code", text: "````\na", language: "md" }])).toBe("`````md\n````\na\n`````\n");
});

test("bold text that ends in a digit spelt by its number, after a formula, is an element where asterisks would not close", () => {
  const bold = { type: "strong", inlines: [{ type: "formula", notation: "latex", text: "x" }, "5"] } as const;

  expect(render([paragraph(bold, "word")])).toBe("<strong>$x$&#53;</strong>word\n");
});

test("formulas are LaTeX, text or gone", () => {
  const blocks: Block[] = [
    paragraph("a ", { type: "formula", notation: "latex", text: "x_1" }, "5"),
    { type: "formula", notation: "latex", text: "y^2" },
  ];

  expect(render(blocks)).toBe("a $x_1$&#53;\n\n$$\ny^2\n$$\n");
  expect(render(blocks, { formulas: "text" })).toBe("a x_15\n\ny^2\n");
  expect(render(blocks, { formulas: "drop" })).toBe("a 5\n");
});

test("footnotes are kept or dropped together with their marks", () => {
  const blocks: Block[] = [
    paragraph("a", { type: "noteReference", id: "1" }),
    { type: "footnote", id: "1", blocks: [paragraph("n"), paragraph("m")] },
  ];

  expect(render(blocks)).toBe("a[^1]\n\n[^1]: n\n\n    m\n");
  expect(render(blocks, { footnotes: "drop" })).toBe("a\n");
});

test("links are kept where they are safe and their text alone where they are not", () => {
  const link = (target: string): Block => paragraph({ type: "link", target, inlines: ["t"] });

  expect(render([link("https://a.b/x y")])).toBe("[t](<https://a.b/x y>)\n");
  expect(render([link("https://a.b/w_(x)")])).toBe("[t](https://a.b/w_(x))\n");
  for (const target of ["javascript:x", " JAVA\nscript:x", "vbscript:x", "data:text/html,x", "\u0001javascript:x"])
    expect(render([link(target)])).toBe("t\n");
  expect(render([link("https://a.b")], { links: "text" })).toBe("t\n");
  expect(render([paragraph({ type: "link", target: "#n", inlines: ["[1]"] })])).toBe("[[1]](#n)\n");
});

test("pictures are placeholders, data or nothing", () => {
  const data = { mediaType: "image/png", bytes: new Uint8Array([1, 2, 3]) };
  const image: Block = { type: "image", alt: "a [b]", reference: "m/i.png", data, caption: ["C"] };

  expect(render([image])).toBe("![a [b]](m/i.png)\n\nC\n");
  expect(render([image], { images: "data_uri" })).toBe("![a [b]](data:image/png;base64,AQID)\n\nC\n");
  expect(render([image], { images: "none" })).toBe("C\n");
});

test("pages are marked when asked for", () => {
  const blocks: Block[] = [{ type: "pageBreak", number: 3 }, paragraph("a")];

  expect(render(blocks)).toBe("a\n");
  expect(render(blocks, { pageMarkers: true })).toBe("<!-- page 3 -->\n\na\n");
});

test("front matter has what is known, quoted where YAML would read something else", () => {
  const document: Document = {
    metadata: { title: "A: b", authors: ["yes", "Ng"], keywords: ["1e3"], language: "no", pageCount: 2 },
    blocks: [paragraph("a")],
  };

  expect(renderDocument(document, { ...defaults, frontMatter: true })).toBe(
    '---\ntitle: "A: b"\nauthors:\n  - "yes"\n  - Ng\nkeywords:\n  - "1e3"\nlanguage: "no"\npages: 2\n---\n\na\n',
  );
});
