import { expect, test } from "vitest";
import type { Document } from "../document.ts";
import { renderDocument } from "./render-document.ts";
import type { OutputFormat, RenderOptions } from "./render-options.ts";

const document: Document = {
  metadata: { title: "T" },
  blocks: [
    { type: "pageBreak", number: 1 },
    { type: "heading", level: 2, inlines: ["A <b> ", { type: "emphasis", inlines: ["c"] }] },
    {
      type: "list",
      ordered: true,
      start: 3,
      items: [{ blocks: [{ type: "paragraph", inlines: ["x", { type: "lineBreak" }, "y"] }] }],
    },
    {
      type: "table",
      headerRowCount: 1,
      caption: ["Cap"],
      rows: [["a", "b"], [{ blocks: [], columnSpan: 2 }], ["1", "2\t3"]],
    },
    { type: "code", language: "js", text: "a < b" },
    {
      type: "paragraph",
      inlines: [{ type: "link", target: "javascript:x", inlines: ["bad"] }, " ", { type: "noteReference", id: "1" }],
    },
    { type: "footnote", id: "1", blocks: [{ type: "paragraph", inlines: ["note"] }] },
    { type: "image", alt: "alt", data: { mediaType: "image/png", bytes: new Uint8Array([1]) } },
  ],
};

function render(outputFormat: OutputFormat, images: RenderOptions["images"] = "placeholder"): string {
  return renderDocument(document, {
    outputFormat,
    tables: "auto",
    images,
    pageMarkers: true,
    frontMatter: false,
    footnotes: "keep",
    formulas: "latex",
    links: "keep",
  });
}

test("text has no markup, and tabs between cells", () => {
  expect(render("text")).toBe(
    "[page 1]\n\nA <b> c\n\n3. x\n   y\n\nCap\na\tb\n1\t2 3\n\na < b\n\nbad [1]\n\n[1] note\n\nalt\n",
  );
});

test("HTML is escaped, spans and all", () => {
  expect(render("html")).toBe(
    [
      "<!-- page 1 -->",
      "<h2>A &lt;b&gt; <em>c</em></h2>",
      '<ol start="3">',
      "<li>x<br>y</li>",
      "</ol>",
      "<table>",
      "<caption>Cap</caption>",
      "<thead>",
      "<tr><th>a</th><th>b</th></tr>",
      "</thead>",
      "<tbody>",
      '<tr><td colspan="2"></td></tr>',
      "<tr><td>1</td><td>2\t3</td></tr>",
      "</tbody>",
      "</table>",
      '<pre><code class="language-js">a &lt; b</code></pre>',
      '<p>bad <sup><a href="#note-1">1</a></sup></p>',
      '<aside id="note-1">',
      "<sup>1</sup>",
      "<p>note</p>",
      "</aside>",
      '<figure><img alt="alt"></figure>',
      "",
    ].join("\n"),
  );
});

test("JSON is the model with its keys in one order and bytes only when asked for", () => {
  expect(JSON.parse(render("json"))).toMatchObject({
    metadata: { title: "T" },
    blocks: [{ type: "pageBreak", number: 1 }, {}, {}, {}, {}, {}, {}, { type: "image", alt: "alt" }],
  });
  expect(render("json")).not.toContain("bytes");
  expect(render("json", "data_uri")).toContain('"bytes": "AQ=="');
  expect(render("json")).toMatch(
    /^\{\n "metadata": \{\n {2}"title": "T"\n \},\n "blocks": \[\n {2}\{\n {3}"type": "pageBreak"/,
  );
});

test("a document of nothing is the empty text", () => {
  const empty: Document = { metadata: {}, blocks: [{ type: "paragraph", inlines: [] }] };
  const options = {
    tables: "auto",
    images: "none",
    pageMarkers: false,
    frontMatter: true,
    footnotes: "keep",
    formulas: "latex",
    links: "keep",
  } as const;

  expect(renderDocument(empty, { ...options, outputFormat: "markdown" })).toBe("");
  expect(renderDocument(empty, { ...options, outputFormat: "html" })).toBe("");
});
