import { AppError } from "@attune/service-kit/app-error.ts";
import { describe, expect, test } from "vitest";
import { walkXml, type XmlWalkOptions } from "./walk-xml.ts";

type Event = readonly [kind: string, value: string, attributes?: Readonly<Record<string, string>>];

/** What a walk reports, adjoining text joined. */
function eventsOf(xml: string, options: Partial<XmlWalkOptions> = {}): Event[] {
  const events: Event[] = [];
  const visitor = {
    open: (name: string, attributes: { entries(): Iterable<[string, string]> }): void => {
      const list = [...attributes.entries()];
      events.push(list.length === 0 ? ["open", name] : ["open", name, Object.fromEntries(list)]);
    },
    close: (name: string): void => void events.push(["close", name]),
    text: (text: string): void => void events.push(["text", text]),
  };
  walkXml(xml, visitor, { maxDepth: 256, ...options });
  return events;
}

function textOf(xml: string): string {
  return eventsOf(xml)
    .map(([kind, value]) => (kind === "text" ? value : ""))
    .join("");
}

function reasonOf(xml: string, maxDepth = 256): string | undefined {
  try {
    walkXml(xml, {}, { maxDepth });
    return undefined;
  } catch (error) {
    return error instanceof AppError ? error.reason : String(error);
  }
}

describe("a walk over well-formed XML", () => {
  test("reports elements, attributes and text in document order", () => {
    expect(eventsOf(`<?xml version="1.0"?>\n<a x="1" y='2'>one<b/>two<c>three</c></a>\n`)).toEqual([
      ["open", "a", { x: "1", y: "2" }],
      ["text", "one"],
      ["open", "b"],
      ["close", "b"],
      ["text", "two"],
      ["open", "c"],
      ["text", "three"],
      ["close", "c"],
      ["close", "a"],
    ]);
  });

  test.each([
    ["entities in text", "<a>&lt;x&gt; &amp;amp; &quot;&apos; &#65;&#x42;</a>", `<x> &amp; "' AB`],
    ["CDATA as it stands", "<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>", "<b>&amp;]]>"],
    [
      "lines that end in CR LF or CR as lines that end in LF",
      "<a>one\r\ntwo\rthree<![CDATA[\r\n]]>&#13;</a>",
      "one\ntwo\nthree\n\r",
    ],
    ["text around comments and instructions", "<a>one<!-- <b> & -->two<?go > ?>three</a>", "onetwothree"],
    ["no text outside of the root", "before<![CDATA[too]]><a>inside</a>after", "inside"],
    ["what it does not know as it is", "<a>&nbsp; & &#; &#x; &unknown; &amp</a>", "&nbsp; & &#; &#x; &unknown; &amp"],
  ])("reads %s", (_name, xml, text) => {
    expect(textOf(xml)).toBe(text);
  });

  test.each([
    ["a value that holds > and the other quote", `<a x="1 > '2'" y='"3"/>'/>`, { x: "1 > '2'", y: `"3"/>` }],
    ["white space around the equals sign", `<a x = "1"\n\ty\r\n=\r\n'2' />`, { x: "1", y: "2" }],
    ["entities and references", `<a x="&amp;&#10;&#x9;"/>`, { x: "&\n\t" }],
    ["breaks written out, which are spaces", `<a x="1\n2\t3\r\n4"/>`, { x: "1 2 3 4" }],
    ["no space between two of them", `<a x="1"y="2"/>`, { x: "1", y: "2" }],
    ["none without a quoted value", `<a x y= z=1 "q" w="3"/>`, { w: "3" }],
    [
      "names of Object.prototype",
      `<a __proto__="1" constructor="2"/>`,
      Object.fromEntries([
        ["__proto__", "1"],
        ["constructor", "2"],
      ]),
    ],
  ])("reads attributes: %s", (_name, xml, attributes) => {
    expect(eventsOf(xml)[0]?.[2]).toEqual(attributes);
  });

  test("an end tag may have white space after its name", () => {
    expect(eventsOf("<a></a \n>")).toEqual([
      ["open", "a"],
      ["close", "a"],
    ]);
  });
});

describe("namespaces", () => {
  const namespaces = { "urn:word": "w", "urn:drawing": "a", "urn:plain": "" };
  const namesOf = (xml: string): string[] =>
    eventsOf(xml, { namespaces }).flatMap(([kind, name]) => (kind === "open" ? [name] : []));

  test.each([
    ["the file's own prefixes give way to those wanted", `<x:d xmlns:x="urn:word"><x:p/></x:d>`, ["w:d", "w:p"]],
    ["a default namespace gives its prefix", `<d xmlns="urn:word"><p/></d>`, ["w:d", "w:p"]],
    ["an empty prefix wanted drops the prefix", `<q:d xmlns:q="urn:plain"><q:p/></q:d>`, ["d", "p"]],
    ["other namespaces keep the file's prefix", `<z:d xmlns:z="urn:other"><y:p/></z:d>`, ["z:d", "y:p"]],
    [
      "a declaration ends with its element",
      `<x:d xmlns:x="urn:word"><x:p xmlns:x="urn:drawing"><x:q/></x:p><x:r/><x:e xmlns:x="urn:other"/><x:s/></x:d>`,
      ["w:d", "a:p", "a:q", "w:r", "x:e", "w:s"],
    ],
    ["a default namespace can be taken back", `<d xmlns="urn:word"><e xmlns=""><f/></e></d>`, ["w:d", "e", "f"]],
    ["entities in the name of a namespace are resolved", `<x:d xmlns:x="urn&#58;word"/>`, ["w:d"]],
  ])("%s", (_name, xml, names) => {
    expect(namesOf(xml)).toEqual(names);
  });

  test("attributes get prefixes too, but not from the default namespace", () => {
    const xml = `<d xmlns="urn:word" xmlns:x="urn:word" x:val="1" val="2"/>`;
    expect(eventsOf(xml, { namespaces })[0]?.[2]).toMatchObject({ "w:val": "1", val: "2" });
  });

  test("attributes asked for after the walk mean what they meant in their place", () => {
    const kept: { get(name: string): string | undefined }[] = [];
    const xml = `<r xmlns:x="urn:word"><x:a xmlns:x="urn:drawing" x:n="1"><b x:n="2"/></x:a><c x:n="3"/></r>`;
    walkXml(xml, { open: (_name, attributes) => void kept.push(attributes) }, { maxDepth: 9, namespaces });
    expect(kept.map((attributes) => [attributes.get("a:n"), attributes.get("w:n")])).toEqual([
      [undefined, undefined],
      ["1", undefined],
      ["2", undefined],
      [undefined, "3"],
    ]);
  });

  test("end tags carry the name that their start tag had", () => {
    const xml = `<x:d xmlns:x="urn:word"><x:p xmlns:x="urn:drawing"></x:p></x:d>`;
    const closed = eventsOf(xml, { namespaces }).flatMap(([kind, name]) => (kind === "close" ? [name] : []));
    expect(closed).toEqual(["a:p", "w:d"]);
  });
});

describe("what is not accepted", () => {
  test.each([
    ["a document type declaration", `<!DOCTYPE a><a/>`],
    ["one in lower case", `<!doctype a><a/>`],
    ["one that declares entities", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`],
    ["one inside the root", `<a><!DOCTYPE b></a>`],
    ["a declaration of an entity alone", `<a><!ENTITY b SYSTEM "file:///etc/passwd">&b;</a>`],
    ["elements deeper than allowed", `${"<a>".repeat(257)}${"</a>".repeat(257)}`],
    ["a tag over 1 MiB", `<a b="${"x".repeat(1 << 20)}"/>`],
  ])("%s is refused", (_name, xml) => {
    expect(reasonOf(xml)).toBe("MARKUP_REFUSED");
  });

  test.each([
    ["an element that is never closed", "<a><b></b>"],
    ["an end tag of another element", "<a></b>"],
    ["an end tag whose name only begins like the element's", "<a></ab>"],
    ["an end tag too many", "<a></a></a>"],
    ["elements that overlap", "<a><b></a></b>"],
    ["a tag without a name", "<a>< b/></a>"],
    ["an end in the middle of a tag", "<a"],
    ["an end in the middle of an end tag", "<a></a"],
    ["an end inside an attribute", `<a b="c></a>`],
    ["an end inside a comment", "<a><!-- </a>"],
    ["a comment that ends in its own beginning", "<a/><!-->"],
    ["an end inside CDATA", "<a><![CDATA[</a>"],
    ["an end inside an instruction", "<a><?x </a>"],
    ["an instruction that ends in its own beginning", "<a/><?>"],
  ])("%s is corrupt", (_name, xml) => {
    expect(reasonOf(xml)).toBe("DOCUMENT_CORRUPT");
  });

  test("exactly the depth allowed is read", () => {
    expect(reasonOf("<a><b><c/></b></a>", 3)).toBeUndefined();
    expect(reasonOf("<a><b><c/></b></a>", 2)).toBe("MARKUP_REFUSED");
  });

  test("errors say where, and quote nothing of the document", () => {
    const xml = `<secret-name>secret text</other>`;
    expect(() => walkXml(xml, {}, { maxDepth: 9 })).toThrow(/near character 25\)/);
    expect(() => walkXml(xml, {}, { maxDepth: 9 })).not.toThrow(/secret|other/);
  });
});
