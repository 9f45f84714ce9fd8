import { describe, expect, test } from "vitest";
import { createOpcPackage } from "./opc-package.ts";
import { parseOpcElement } from "./opc-element.ts";

const open = (parts: Record<string, string>, warnings: string[] = []) =>
  createOpcPackage(
    { names: Object.keys(parts), read: (name) => (parts[name] === undefined ? undefined : Buffer.from(parts[name])) },
    { maxDepth: 64, warn: (sentence) => warnings.push(sentence) },
  );

const relationships = (list: string): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list}</Relationships>`;

describe("relationships of a package", () => {
  test("transitional and strict types have the same kind", () => {
    const opc = open({
      "_rels/.rels": relationships(
        `<Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="/word/a.xml"/>` +
          `<Relationship Id="b" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/image" Target="x.png"/>`,
      ),
    });

    expect(opc.relationshipsOf("").partOfKind("officeDocument")).toBe("word/a.xml");
    expect(opc.relationshipsOf("").byId("b")?.kind).toBe("image");
  });

  test("targets are resolved against the folder of their part and cannot leave the package", () => {
    const opc = open({
      "word/_rels/document.xml.rels": relationships(
        `<Relationship Id="a" Type="t/image" Target="../media/one.png"/>` +
          `<Relationship Id="b" Type="t/image" Target="../../../../etc/passwd"/>` +
          `<Relationship Id="c" Type="t/image" Target="media\\two.png"/>`,
      ),
    });

    expect(opc.relationshipsOf("word/document.xml").all.map(({ target }) => target)).toEqual([
      "media/one.png",
      "etc/passwd",
      "word/media/two.png",
    ]);
  });

  test("an external target stays as written and is no part", () => {
    const opc = open({
      "_rels/.rels": relationships(
        `<Relationship Id="a" Type="t/image" Target="file:///etc/passwd" TargetMode="External"/>`,
      ),
    });

    expect(opc.relationshipsOf("").byId("a")).toMatchObject({ target: "file:///etc/passwd", isExternal: true });
    expect(opc.relationshipsOf("").partOfKind("image")).toBeUndefined();
  });

  test("ids named like properties of objects are only ids", () => {
    const opc = open({ "_rels/.rels": relationships(`<Relationship Id="__proto__" Type="t/image" Target="a"/>`) });

    expect(opc.relationshipsOf("").byId("__proto__")?.target).toBe("a");
    expect(opc.relationshipsOf("").byId("constructor")).toBeUndefined();
  });

  test("a damaged list is told and counts as empty", () => {
    const warnings: string[] = [];
    const opc = open({ "_rels/.rels": "<Relationships><Relationship" }, warnings);

    expect(opc.relationshipsOf("").all).toEqual([]);
    expect(warnings.join()).toContain("_rels/.rels is damaged");
  });

  test("a document type declaration in a list is refused and told", () => {
    const warnings: string[] = [];
    const opc = open({ "_rels/.rels": `<!DOCTYPE x [<!ENTITY a "b">]><Relationships/>` }, warnings);

    expect(opc.relationshipsOf("").all).toEqual([]);
    expect(warnings.join()).toContain("document type declaration");
  });
});

describe("parts of a package", () => {
  test("names are found without regard to case and percent-encoding", () => {
    const opc = open({ "Word/Media/my image.png": "bytes" });

    expect(Buffer.from(opc.read("word/media/my%20image.png") ?? []).toString()).toBe("bytes");
    expect(opc.read("word/other.png")).toBeUndefined();
  });

  test("content types come from overrides first, then from the extension", () => {
    const opc = open({
      "[Content_Types].xml":
        `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="PNG" ContentType="image/png"/>` +
        `<Override PartName="/a/b.xml" ContentType="Application/X+XML; charset=utf-8"/></Types>`,
    });

    expect(opc.contentTypeOf("x/y.png")).toBe("image/png");
    expect(opc.contentTypeOf("a/b.xml")).toBe("application/x+xml");
    expect(opc.contentTypeOf("a/c.xml")).toBeUndefined();
  });
});

describe("trees of elements", () => {
  test("prefixes are those of the standard whatever the file calls them", () => {
    const root = parseOpcElement(
      `<x:document xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"><x:p x:id="1">a<x:b/>c</x:p></x:document>`,
      16,
    );

    expect(root?.name).toBe("w:document");
    expect(root?.child("w:p")?.text).toBe("ac");
    expect(root?.path("w:p", "w:b")?.name).toBe("w:b");
    expect(root?.child("w:p")?.get("w:id")).toBe("1");
  });
});
