import { makeZip } from "@attune/testkit/make-zip.ts";
import { describe, expect, test } from "vitest";
import type { Block } from "../../document/document.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";

const container = `<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>`;
const chapter = (body: string, declaration = ""): string =>
  `<?xml version="1.0"?>${declaration}<html><body>${body}</body></html>`;

interface BookParts {
  readonly chapters: Readonly<Record<string, string>>;
  /** A chapter that the book lists and does not have. */
  readonly missing?: string;
  /** More items of the manifest. */
  readonly items?: string;
  readonly files?: Readonly<Record<string, string>>;
}

function makeBook({ chapters, missing, items: others = "", files = {} }: BookParts): Buffer {
  const names = Object.keys(chapters);
  const items = names
    .map((name, at) => `<item id="c${at}" href="${name}" media-type="application/xhtml+xml"/>`)
    .join("");
  const spine = names.map((_name, at) => `<itemref idref="c${at}"/>`).join("");
  const opf = `<package><metadata/><manifest>${items}${others}</manifest><spine>${spine}</spine></package>`;
  const all = { "META-INF/container.xml": container, "book.opf": opf, ...files, ...chapters };
  const present = Object.entries(all).filter(([name]) => name !== missing);
  return makeZip(present.map(([name, bytes]) => ({ name, bytes })));
}

async function read(bytes: Uint8Array, budget = new Budget(defaultLimits)) {
  const { document, warnings } = await readSource(
    { bytes, fileName: "", format: "epub" },
    { pages: [], headersFooters: "drop", images: "data_uri" },
    budget,
  );
  return { blocks: document.blocks, warnings };
}

const paragraph = (text: string): Block => ({ type: "paragraph", inlines: [text] });

test("chapters come in the order of the spine", async () => {
  const { blocks } = await read(
    makeBook({ chapters: { "b.xhtml": chapter("<p>1</p>"), "a.xhtml": chapter("<p>2</p>") } }),
  );
  expect(blocks).toEqual([paragraph("1"), paragraph("2")]);
});

test("pages outside of the reading order are told, pages of contents are not", async () => {
  const page = (name: string, properties = ""): string =>
    `<item id="${name}" href="${name}" media-type="application/xhtml+xml" ${properties}/>`;
  const items = `${page("map.xhtml")}${page("toc.xhtml", 'properties="nav"')}`;
  const { blocks, warnings } = await read(makeBook({ chapters: { "a.xhtml": chapter("<p>1</p>") }, items }));
  expect(blocks).toEqual([paragraph("1")]);
  expect(warnings).toEqual(["Pages outside of the book's reading order were left out (1): map.xhtml."]);
});

test("notes of two chapters with one id are two notes", async () => {
  const body = `<p>x<a epub:type="noteref" href="#n">1</a></p><aside epub:type="footnote" id="n">note</aside>`;
  const { blocks } = await read(makeBook({ chapters: { "a.xhtml": chapter(body), "b.xhtml": chapter(body) } }));
  expect(blocks.filter((block) => block.type === "footnote").map(({ id }) => id)).toEqual(["1-n", "2-n"]);
});

test("a picture brings its bytes when they are wanted", async () => {
  const chapters = { "text/a.xhtml": chapter('<img src="../img/a%20b.png" alt="A"/>') };
  const { blocks } = await read(makeBook({ chapters, files: { "img/a b.png": "PNG" } }));
  expect(blocks).toEqual([
    { type: "image", alt: "A", reference: "img/a b.png", data: { mediaType: "image/png", bytes: Buffer.from("PNG") } },
  ]);
});

describe("damage", () => {
  test("a chapter that is missing is named, the others are read", async () => {
    const { blocks, warnings } = await read(
      makeBook({ chapters: { "a.xhtml": chapter("<p>1</p>"), "b.xhtml": "" }, missing: "b.xhtml" }),
    );
    expect(blocks).toEqual([paragraph("1")]);
    expect(warnings).toEqual(["The chapter b.xhtml was not read: DOCUMENT_CORRUPT. The book does not contain it."]);
  });

  test("without a package document it is no book", async () => {
    await expect(read(makeZip([{ name: "a", bytes: "b" }]))).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });
});

describe("protection", () => {
  const encryption = (algorithm: string): string =>
    `<encryption><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/><CipherData><CipherReference URI="a.xhtml"/></CipherData></EncryptedData></encryption>`;
  const book = (algorithm: string): Buffer =>
    makeBook({
      chapters: { "a.xhtml": chapter("<p>1</p>") },
      files: { "META-INF/encryption.xml": encryption(algorithm) },
    });

  test("of chapters is said to be the reason", async () => {
    await expect(read(book("http://www.w3.org/2001/04/xmlenc#aes256-cbc"))).rejects.toMatchObject({
      reason: "ENCRYPTION_UNSUPPORTED",
    });
  });

  test("of fonts does not matter", async () => {
    expect((await read(book("http://www.idpf.org/2008/embedding"))).blocks).toEqual([paragraph("1")]);
  });
});

describe("hostile books", () => {
  test("a chapter that declares entities is refused, one with a public identifier is read", async () => {
    const laughs = '<!DOCTYPE html [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
    await expect(read(makeBook({ chapters: { "a.xhtml": chapter("&b;", laughs) } }))).rejects.toMatchObject({
      reason: "MARKUP_REFUSED",
    });
    const strict = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">';
    expect((await read(makeBook({ chapters: { "a.xhtml": chapter("<p>1</p>", strict) } }))).blocks).toEqual([
      paragraph("1"),
    ]);
  });

  test("a package document that declares entities is refused", async () => {
    const files = { "META-INF/container.xml": `<!DOCTYPE a [<!ENTITY a "a">]>${container}` };
    await expect(read(makeBook({ chapters: {}, files }))).rejects.toMatchObject({ reason: "MARKUP_REFUSED" });
  });

  test("a chapter that expands too far ends the reading", async () => {
    const bomb = makeBook({ chapters: { "a.xhtml": chapter(`<p>${" ".repeat(2_000_000)}</p>`) } });
    expect(bomb.length).toBeLessThan(10_000);
    const budget = new Budget({ ...defaultLimits, maxEntryBytes: 1_000_000 });
    await expect(read(bomb, budget)).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
  });
});
