import { describe, expect, test } from "vitest";
import type { Block } from "../../document/document.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import type { ReadOptions } from "../reader.ts";

const options: ReadOptions = { pages: [], headersFooters: "drop", images: "placeholder" };

async function read(html: string | Uint8Array, format = "html", charset?: string) {
  const bytes = typeof html === "string" ? Buffer.from(html, "utf8") : html;
  const input = { bytes, fileName: "", format, ...(charset !== undefined && { charset }) };
  const { document, warnings } = await readSource(input, options, new Budget(defaultLimits));
  return { ...document, warnings };
}

async function blocksOf(html: string): Promise<readonly Block[]> {
  return (await read(html)).blocks;
}

const paragraph = (...inlines: (Block & { type: "paragraph" })["inlines"]): Block => ({ type: "paragraph", inlines });

describe("white space", () => {
  test("collapses across inline elements and around breaks as in browsers", async () => {
    expect(await blocksOf("<p>  a <b> b </b>\n c<br> d  </p>")).toEqual([
      paragraph("a ", { type: "strong", inlines: ["b"] }, " c", { type: "lineBreak" }, "d"),
    ]);
  });

  test("two breaks in a row begin a paragraph", async () => {
    expect(await blocksOf("a<br><br>b")).toEqual([paragraph("a"), paragraph("b")]);
  });

  test("a paragraph of nothing but no-break spaces is no paragraph", async () => {
    expect(await blocksOf("<p>&nbsp;</p><p>a</p>")).toEqual([paragraph("a")]);
  });

  test("preformatted text keeps its lines, and its language", async () => {
    expect(await blocksOf('<pre class="language-sh">\n a\n\n  b\n</pre>')).toEqual([
      { type: "code", language: "sh", text: " a\n\n  b" },
    ]);
  });
});

describe("missing and misplaced tags", () => {
  test("a block ends an open paragraph, even inside an inline element", async () => {
    expect(await blocksOf("<p>a <b>b<div>c</div>")).toEqual([
      paragraph("a ", { type: "strong", inlines: ["b"] }),
      paragraph("c"),
    ]);
  });

  test("formatting that ends inside a block it does not own leaves the block whole", async () => {
    const blocks = await blocksOf("<b><p>a</b></p><p>c</p>");
    expect(blocks).toEqual([paragraph({ type: "strong", inlines: ["a"] }), paragraph("c")]);
  });

  test("an end tag in a cell does not reach outside of the table", async () => {
    expect(
      await blocksOf("<div><table><tr><td>a</div>b</td><td>c</td></tr><tr><td>d</td><td>e</td></tr></table>f</div>"),
    ).toEqual([
      {
        type: "table",
        headerRowCount: 0,
        rows: [
          ["ab", "c"],
          ["d", "e"],
        ],
      },
      paragraph("f"),
    ]);
  });

  test("text between the tags of a table stands before it", async () => {
    const [first] = await blocksOf("<table>stray<tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>");
    expect(first).toEqual(paragraph("stray"));
  });

  test("a link around blocks is a link in each of them", async () => {
    const link = (text: string) => ({ type: "link" as const, target: "/x", inlines: [text] });
    expect(await blocksOf('<a href="/x"><h3>T</h3><p>p</p></a>')).toEqual([
      { type: "heading", level: 3, inlines: [link("T")] },
      paragraph(link("p")),
    ]);
  });
});

describe("what is not shown", () => {
  test("scripts, styles and comments are no text and are not counted", async () => {
    const { blocks, warnings } = await read("<style>a{}</style><script>b</script><!-- c --><p>d</p>");
    expect(blocks).toEqual([paragraph("d")]);
    expect(warnings).toEqual([]);
  });

  test("words of drawings are counted, those of their titles and definitions are not", async () => {
    const { blocks, warnings } = await read(
      "<p>a</p><svg><title>t</title><defs><text>d</text></defs><g><text>two <tspan>words</tspan></text><text> 3</text></g></svg>",
    );
    expect(blocks).toEqual([paragraph("a")]);
    expect(warnings).toEqual(["Text in drawings (SVG) was left out (words: 3)."]);
  });

  test("templates are not shown, but those that declare a shadow tree", async () => {
    const { blocks } = await read(
      '<p>a</p><template><p>b</p></template><div><template shadowrootmode="open"><p>c</p></template></div>',
    );
    expect(blocks).toEqual([paragraph("a"), paragraph("c")]);
  });

  test.each(["hidden", 'style="display: none"', 'style="color:red;visibility:hidden"'])(
    "%s is left out and counted",
    async (mark) => {
      const { blocks, warnings } = await read(`<p>a</p><div ${mark}>two words</div>`);
      expect(blocks).toEqual([paragraph("a")]);
      expect(warnings).toEqual(["Text that the page hides was left out (words: 2)."]);
    },
  );

  test("what stands for browsers without scripts is read where there is nothing else", async () => {
    expect(await blocksOf("<p>a</p><noscript>turn on</noscript>")).toEqual([paragraph("a")]);
    expect(await blocksOf("<div id=app></div><noscript>turn on</noscript>")).toEqual([paragraph("turn on")]);
  });

  test("a link that runs code is only its text", async () => {
    expect(await blocksOf('<a href=" java\nscript:alert(1)">a</a>')).toEqual([paragraph("a")]);
  });
});

describe("tables", () => {
  test("spans stay as they are, and spans beyond the last column are cut", async () => {
    expect(
      await blocksOf("<table><tr><th>a</th><th colspan=9>b</th></tr><tr><td>c</td><td>d</td></tr></table>"),
    ).toEqual([
      {
        type: "table",
        headerRowCount: 1,
        rows: [
          ["a", "b"],
          ["c", "d"],
        ],
      },
    ]);
  });

  test("a row of nothing but cells that go on below is no row", async () => {
    const html =
      "<table><tr><th>y</th><th>m</th></tr><tr><th rowspan=3>1</th></tr><tr><td>a</td></tr><tr><td>b</td></tr></table>";
    expect(await blocksOf(html)).toEqual([
      {
        type: "table",
        headerRowCount: 1,
        rows: [["y", "m"], [{ blocks: [paragraph("1")], rowSpan: 2, isRowHeader: true }, "a"], ["b"]],
      },
    ]);
  });

  test("a column without any content is left out", async () => {
    expect(
      await blocksOf(
        "<table><tr><td>a</td><td></td><td>b</td></tr><tr><td>c</td><td>&nbsp;</td><td>d</td></tr></table>",
      ),
    ).toEqual([
      {
        type: "table",
        headerRowCount: 0,
        rows: [
          ["a", "b"],
          ["c", "d"],
        ],
      },
    ]);
  });

  test("a table that only names its body, as programs write it, keeps its empty rows and columns", async () => {
    const [table] = await blocksOf(
      "<table><thead><tr><th></th><th colspan=2>a</th><th>b</th></tr></thead><tbody><tr><td></td><td></td></tr><tr><td>c</td><td colspan=2></td><td>d</td></tr></tbody></table>",
    );
    expect(table).toEqual({
      type: "table",
      headerRowCount: 1,
      rows: [
        ["", { columnSpan: 2, blocks: [{ type: "paragraph", inlines: ["a"] }] }, "b"],
        ["", ""],
        ["c", { columnSpan: 2, blocks: [] }, "d"],
      ],
    });
  });

  test("a table of one column is no table", async () => {
    expect(await blocksOf("<table><tr><td>a</td></tr><tr><td><p>b</p></td></tr></table>")).toEqual([
      paragraph("a"),
      paragraph("b"),
    ]);
  });

  test("a table of one column that names its body is a table", async () => {
    const [table] = await blocksOf("<table><tbody><tr><td>a</td></tr><tr><td><ul><li>b</ul></td></tr></tbody></table>");
    expect(table).toMatchObject({ type: "table", rows: [["a"], [{ blocks: [{ type: "list" }] }]] });
  });

  test("a cell may hold a list, and a table", async () => {
    const [table] = await blocksOf(
      "<table><tr><th>x</th><th>y</th></tr><tr><td><ul><li>a</ul></td><td><table><tr><th>1</th><th>2</th></tr></table></td></tr></table>",
    );
    const cells = table?.type === "table" ? table.rows[1] : undefined;
    expect(cells?.map((cell) => (typeof cell === "string" ? cell : cell.blocks[0]?.type))).toEqual(["list", "table"]);
  });
});

describe("formulas", () => {
  test("the source of a formula is taken once, not its pictures and copies", async () => {
    const katex =
      '<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x2</span></span>';
    const wiki =
      '<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;"><math alttext="{\\displaystyle y}"><mi>y</mi></math></span><img class="mwe-math-fallback-image-inline" alt="{\\displaystyle y}"></span>';
    const mathJax =
      '<span class="MathJax_Preview">z</span><span class="MathJax">z</span><script type="math/tex">z_1</script>';
    const formula = (text: string) => ({ type: "formula" as const, notation: "latex" as const, text });
    expect(await blocksOf(`<p>${katex} ${wiki} ${mathJax}</p>`)).toEqual([
      paragraph(formula("x^2"), " ", formula("y"), " ", formula("z_1")),
    ]);
  });

  test("delimiters are formulas only where a script makes them so", async () => {
    expect(await blocksOf("<p>a \\(x\\)</p>")).toEqual([paragraph("a \\(x\\)")]);
    expect(await blocksOf('<script src="/MathJax.js"></script><p>a \\(x\\)</p>')).toEqual([
      paragraph("a ", { type: "formula", notation: "latex", text: "x" }),
    ]);
  });
});

describe("encodings", () => {
  const word = "Straße żółw";

  test("a meta element names the encoding", async () => {
    const bytes = Buffer.concat([Buffer.from('<meta charset="iso-8859-2"><p>'), Buffer.from([0xbf, 0xf3, 0xb3, 0x77])]);
    expect((await read(bytes)).blocks).toEqual([paragraph("żółw")]);
  });

  test("UTF-16 with a byte order mark is read", async () => {
    const bytes = Buffer.from(`\ufeff<p>${word}</p>`, "utf16le");
    expect((await read(bytes)).blocks).toEqual([paragraph(word)]);
  });

  test("an encoding nobody knows is passed over", async () => {
    expect((await read(Buffer.from(`<meta charset="x-nonsense"><p>${word}</p>`))).blocks).toEqual([paragraph(word)]);
  });
});

describe("XHTML", () => {
  test("any element may close itself, and CDATA is text", async () => {
    const page =
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a"/></head><body><p>a<![CDATA[<b>]]></p></body></html>';
    expect((await read(page, "xhtml")).blocks).toEqual([paragraph("a<b>")]);
  });

  test("a declaration of entities is refused, a public identifier is not", async () => {
    const page = (declaration: string) => `<!DOCTYPE html ${declaration}><html><body><p>a</p></body></html>`;
    await expect(read(page('[<!ENTITY a "aa"><!ENTITY b "&a;&a;">]'), "xhtml")).rejects.toMatchObject({
      reason: "MARKUP_REFUSED",
    });
    const publicId = 'PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"';
    expect((await read(page(publicId), "xhtml")).blocks).toEqual([paragraph("a")]);
  });
});

describe("hostile pages", () => {
  test.each(["div", "table><tr><td", "b", "a href=x><span"])(
    "depth of 200,000 (%s) keeps the text, flattened",
    async (tags) => {
      const { blocks } = await read(`${`<${tags}>`.repeat(200_000)}the text`);
      expect(JSON.stringify(blocks)).toContain("the text");
    },
    30_000,
  );

  test("what follows elements that lay too deep stands outside of them", async () => {
    const { blocks, warnings } = await read(`${"<div>".repeat(1000)}in${"</div>".repeat(1000)}<h1>out</h1>`);
    expect(blocks).toEqual([paragraph("in"), { type: "heading", level: 1, inlines: ["out"] }]);
    expect(warnings).toHaveLength(1);
  });

  test("spans that claim more than the limit are refused", async () => {
    const rows = "<tr><td rowspan=65534>a</td><td rowspan=65534>b</td></tr>".repeat(4000);
    await expect(read(`<table>${rows}</table>`)).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
  });
});
