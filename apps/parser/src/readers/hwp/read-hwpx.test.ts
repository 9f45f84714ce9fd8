import { makeZip } from "@attune/testkit/make-zip.ts";
import { expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import type { ReadOptions } from "../reader.ts";

const declarations =
  'xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph" xmlns:hh="http://www.hancom.co.kr/hwpml/2011/head" xmlns:hc="http://www.hancom.co.kr/hwpml/2011/core"';
const head = `<hh:head ${declarations}><hh:refList>
<hh:charProperties><hh:charPr id="0"/><hh:charPr id="1"><hh:bold/></hh:charPr></hh:charProperties>
<hh:paraProperties><hh:paraPr id="0"><hh:heading type="NONE" idRef="0" level="0"/></hh:paraPr><hh:paraPr id="1"><hh:heading type="BULLET" idRef="1" level="0"/></hh:paraPr><hh:paraPr id="2"><hh:switch><hh:case><hh:heading type="NUMBER" idRef="1" level="1"/></hh:case></hh:switch></hh:paraPr></hh:paraProperties>
<hh:styles><hh:style id="0" name="바탕글" engName="Normal"/><hh:style id="1" name="개요 2" engName="Outline 2"/></hh:styles>
</hh:refList></hh:head>`;

async function read(section: string, options: Partial<ReadOptions> = {}, more: Record<string, string> = {}) {
  const members = {
    mimetype: "application/hwp+zip",
    "Contents/content.hpf": `<opf:package xmlns:opf="o"><opf:metadata><opf:title>제목</opf:title><opf:meta name="creator" content="text">Ada</opf:meta></opf:metadata><opf:manifest><opf:item id="s" href="Contents/section0.xml"/><opf:item id="image1" href="BinData/image1.png"/></opf:manifest><opf:spine><opf:itemref idref="s"/></opf:spine></opf:package>`,
    "Contents/header.xml": head,
    "Contents/section0.xml": `<hs:sec ${declarations}>${section}</hs:sec>`,
    ...more,
  };
  const bytes = makeZip(Object.entries(members).map(([name, content]) => ({ name, bytes: content })));
  const all: ReadOptions = { pages: [], headersFooters: "drop", images: "placeholder", ...options };
  const result = await readSource({ bytes, fileName: "a.hwpx", format: "hwpx" }, all, new Budget(defaultLimits));
  return { ...result.document, warnings: result.warnings };
}

const run = (content: string, shape = 0): string => `<hp:run charPrIDRef="${shape}">${content}</hp:run>`;
const words = (text: string): string => run(`<hp:t>${text}</hp:t>`);
const p = (content: string, attributes = ""): string => `<hp:p ${attributes}>${content}<hp:linesegarray/></hp:p>`;
const list = (content: string): string => `<hp:subList>${content}</hp:subList>`;
const say = (...inlines: readonly unknown[]) => ({ type: "paragraph", inlines });

test("paragraphs, headings by style, lists by shape, metadata", async () => {
  const { blocks, metadata } = await read(
    p(words("장"), 'styleIDRef="1"') +
      p(run("<hp:t>a</hp:t>") + run("<hp:t>b<hp:lineBreak/>c<hp:nbSpace/>d</hp:t>", 1)) +
      p(words("one"), 'paraPrIDRef="1"') +
      p(words("sub"), 'paraPrIDRef="2"'),
  );

  expect(metadata).toEqual({ title: "제목", authors: ["Ada"] });
  expect(blocks).toEqual([
    { type: "heading", level: 2, inlines: ["장"] },
    say("a", { type: "strong", inlines: ["b"] }, { type: "lineBreak" }, { type: "strong", inlines: ["c\u00a0d"] }),
    {
      type: "list",
      ordered: false,
      items: [{ blocks: [say("one"), { type: "list", ordered: true, items: [{ blocks: [say("sub")] }] }] }],
    },
  ]);
});

test("tables, pictures, boxes and links", async () => {
  const cell = (text: string, [row, column]: readonly [number, number], span = 1): string =>
    `<hp:tc>${list(p(words(text)))}<hp:cellAddr rowAddr="${row}" colAddr="${column}"/><hp:cellSpan colSpan="${span}" rowSpan="1"/></hp:tc>`;
  const table = `<hp:tbl><hp:tr>${cell("a", [0, 0], 2)}</hp:tr><hp:tr>${cell("b", [1, 0])}${cell("c", [1, 1])}</hp:tr></hp:tbl>`;
  const picture = `<hp:pic><hc:img binaryItemIDRef="image1"/><hp:shapeComment>그림입니다. 원본</hp:shapeComment></hp:pic>`;
  const link = `<hp:ctrl><hp:fieldBegin type="HYPERLINK"><hp:parameters><hp:stringParam name="Path">https\\://example.org</hp:stringParam></hp:parameters></hp:fieldBegin></hp:ctrl>`;
  const { blocks } = await read(
    p(run(table)) +
      p(run(picture)) +
      p(run(`<hp:rect><hp:drawText>${list(p(words("box")))}</hp:drawText></hp:rect>`)) +
      p(run(`${link}<hp:t>here</hp:t><hp:ctrl><hp:fieldEnd/></hp:ctrl><hp:t> not</hp:t>`)),
  );

  expect(blocks).toEqual([
    { type: "table", headerRowCount: 0, rows: [[{ blocks: [say("a")], columnSpan: 2 }], ["b", "c"]] },
    { type: "image", alt: "", reference: "BinData/image1.png" },
    say("box"),
    say({ type: "link", target: "https://example.org", inlines: ["here"] }, " not"),
  ]);
});

test("notes, equations, headers, comments and deleted text", async () => {
  const note = `<hp:ctrl><hp:footNote>${list(p(words("a note")))}</hp:footNote></hp:ctrl>`;
  const header = `<hp:ctrl><hp:header>${list(p(words("head")))}</hp:header></hp:ctrl><hp:ctrl><hp:hiddenComment>${list(p(words("gone")))}</hp:hiddenComment></hp:ctrl>`;
  const equation = "<hp:equation><hp:script>a over b</hp:script></hp:equation>";
  const section = p(run(`${header}<hp:t>x</hp:t>${note}${equation}<hp:t>y<hp:deleteBegin/>old<hp:deleteEnd/>z</hp:t>`));

  expect(await read(section)).toMatchObject({
    blocks: [
      say("x", { type: "noteReference", id: "1" }, { type: "formula", notation: "text", text: "a over b" }, "yz"),
      { type: "footnote", id: "1", blocks: [say("a note")] },
    ],
    warnings: ["Text deleted under change tracking was left out.", "Comments were left out (1)."],
  });
  expect((await read(section, { headersFooters: "keep" })).blocks[0]).toEqual(say("head"));
});

test("a document protected by a password is refused, one without sections is corrupt", async () => {
  const manifest = "<m:manifest xmlns:m='m'><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>";

  await expect(read("", {}, { "META-INF/manifest.xml": manifest })).rejects.toMatchObject({
    reason: "ENCRYPTION_UNSUPPORTED",
  });
  await expect(
    read("", {}, { "Contents/content.hpf": "<package/>", "Contents/section0.xml": "<broken" }),
  ).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
});

test("paragraphs inside one another beyond any page are refused", async () => {
  const deep = `${"<hp:rect>".repeat(300)}${"</hp:rect>".repeat(300)}`;

  await expect(read(p(run(deep)))).rejects.toMatchObject({ reason: "MARKUP_REFUSED" });
});
