import { expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";

async function read(xml: string | Uint8Array) {
  const { document } = await readSource(
    { bytes: typeof xml === "string" ? Buffer.from(xml) : xml, fileName: "", format: "fb2" },
    { pages: [], headersFooters: "drop", images: "placeholder" },
    new Budget(defaultLimits),
  );
  return document.blocks;
}

const book = (bodies: string): string => `<FictionBook xmlns:l="http://www.w3.org/1999/xlink">${bodies}</FictionBook>`;

test("titles of sections are headings as deep as the sections", async () => {
  const sections = "<section><title><p>A</p></title><section><title><p>B</p></title><p>x</p></section></section>";
  expect(await read(book(`<body>${sections}</body>`))).toEqual([
    { type: "heading", level: 1, inlines: ["A"] },
    { type: "heading", level: 2, inlines: ["B"] },
    { type: "paragraph", inlines: ["x"] },
  ]);
});

test("a body of notes is footnotes, and links to them are references", async () => {
  const xml = book(
    `<body><section><p>x<a l:href="#n1" type="note">[1]</a></p></section></body><body name="notes"><section id="n1"><title><p>1</p></title><p>y</p></section></body>`,
  );
  expect(await read(xml)).toEqual([
    { type: "paragraph", inlines: ["x", { type: "noteReference", id: "n1" }] },
    { type: "footnote", id: "n1", blocks: [{ type: "paragraph", inlines: ["y"] }] },
  ]);
});

test("lines of a stanza stay lines", async () => {
  expect(await read(book("<body><section><poem><stanza><v>a</v><v>b</v></stanza></poem></section></body>"))).toEqual([
    { type: "paragraph", inlines: ["a", { type: "lineBreak" }, "b"] },
  ]);
});

test("text in elements that are not known is kept", async () => {
  expect(await read(book("<body><section><box><p>a</p></box><line>b</line><empty-line/></section></body>"))).toEqual([
    { type: "paragraph", inlines: ["a"] },
    { type: "paragraph", inlines: ["b"] },
  ]);
});

test("a declared encoding is used", async () => {
  const xml = Buffer.concat([
    Buffer.from('<?xml version="1.0" encoding="windows-1251"?><FictionBook><body><section><p>'),
    Buffer.from([0xcb, 0xe0, 0xec, 0xef, 0xe0]),
    Buffer.from("</p></section></body></FictionBook>"),
  ]);
  expect(await read(xml)).toEqual([{ type: "paragraph", inlines: ["Лампа"] }]);
});

test.each([
  ["declares entities", '<!DOCTYPE FictionBook [<!ENTITY a "aa">]><FictionBook/>', "MARKUP_REFUSED"],
  ["nests 200,000 deep", book("<section>".repeat(200_000)), "MARKUP_REFUSED"],
  ["is cut off", "<FictionBook><body><section><p>x", "DOCUMENT_CORRUPT"],
  ["is something else", "<svg/>", "DOCUMENT_CORRUPT"],
])("a file that %s is refused", async (_name, xml, reason) => {
  await expect(read(xml)).rejects.toMatchObject({ reason });
});

test("200,000 paragraphs of one section are read", async () => {
  expect(await read(book(`<body><section>${"<p>a</p>".repeat(200_000)}</section></body>`))).toHaveLength(200_000);
}, 30_000);
