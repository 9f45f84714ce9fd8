import { AppError } from "@attune/service-kit/app-error.ts";
import { expect, test } from "vitest";
import { walkXml } from "./walk-xml.ts";
import { parseXmlTree } from "./xml-tree.ts";

// Each of these takes far less than a second in time linear in its length, and minutes where one part is quadratic.
const timeoutMs = 10_000;
const namespaces = { "urn:word": "w" };

/** Walks as a reader does that asks for every attribute; elements seen, or the reason of the refusal. */
function outcomeOf(xml: string): number | string {
  let count = 0;
  const open = (_name: string, attributes: { get(name: string): string | undefined }): void => {
    attributes.get("w:val");
    count++;
  };
  try {
    walkXml(xml, { open, text: () => {} }, { maxDepth: 256, namespaces });
    return count;
  } catch (error) {
    if (error instanceof AppError) return error.reason;
    throw error;
  }
}

const inRoot = (content: string): string => `<r>${content}</r>`;
const prefixes = Array.from({ length: 40_000 }, (_, index) => `xmlns:p${index}="u"`).join(" ");

test.each<[string, () => string, number | string]>([
  ["a million siblings", () => inRoot("<a/>".repeat(1_000_000)), 1_000_001],
  [
    "a million different names",
    () => inRoot(Array.from({ length: 1_000_000 }, (_, n) => `<e${n}/>`).join("")),
    1_000_001,
  ],
  ["200,000 elements inside one another", () => "<a>".repeat(200_000), "MARKUP_REFUSED"],
  ["150,000 attributes", () => `<r ${Array.from({ length: 80_000 }, (_, n) => `a${n}=""`).join(" ")}/>`, 1],
  ["150,000 attributes of one letter", () => `<r ${`a="" `.repeat(150_000)}/>`, 1],
  ["a megabyte of letters for an attribute", () => `<r ${"a".repeat(1_000_000)}/>`, 1],
  ["a megabyte of equals signs", () => `<r ${"=".repeat(1_000_000)}/>`, 1],
  ["a megabyte of attributes without values", () => `<r ${"a ".repeat(500_000)}/>`, 1],
  ["a megabyte of attributes whose values have no quotes", () => `<r ${"a= ".repeat(340_000)}/>`, 1],
  ["a megabyte of spaces in a tag", () => `<r a${" ".repeat(1_000_000)}/>`, 1],
  ["a value of a megabyte of >", () => inRoot(`<a b="${">".repeat(1_000_000)}"/>`), 2],
  ["a name of five megabytes", () => `<${"a".repeat(5_000_000)}/>`, "MARKUP_REFUSED"],
  ["an end tag of five megabytes", () => `<a></${"a".repeat(5_000_000)}>`, "DOCUMENT_CORRUPT"],
  ["five megabytes of <", () => "<".repeat(5_000_000), "DOCUMENT_CORRUPT"],
  ["five megabytes of < and >", () => inRoot("<>".repeat(2_500_000)), "DOCUMENT_CORRUPT"],
  ["five megabytes of beginnings of comments", () => inRoot("<!--".repeat(1_250_000)), "DOCUMENT_CORRUPT"],
  ["five megabytes of beginnings of CDATA", () => inRoot("<![CDATA[".repeat(600_000)), "DOCUMENT_CORRUPT"],
  ["five megabytes of beginnings of instructions", () => inRoot("<?".repeat(2_500_000)), "DOCUMENT_CORRUPT"],
  ["a million comments", () => inRoot("<!---->".repeat(1_000_000)), 1],
  ["a million references", () => inRoot("&#65;".repeat(1_000_000)), 1],
  ["references that never end", () => inRoot("&#x".repeat(1_000_000)), 1],
  ["a reference of five million digits", () => inRoot(`&#${"0".repeat(5_000_000)};`), 1],
  ["five million ampersands", () => inRoot("&".repeat(5_000_000)), 1],
  ["a million line ends of CR", () => inRoot("\r".repeat(1_000_000)), 1],
  ["a million quotes outside of tags", () => inRoot(`"'`.repeat(500_000)), 1],
  ["declarations inside declarations", () => `<r ${prefixes}>${`<a xmlns:q="v"/>`.repeat(100_000)}</r>`, 100_001],
  [
    "declarations on every level, with siblings below that declare too",
    () => {
      const levels = Array.from({ length: 250 }, (_, n) => `<a xmlns:l${n}="urn:word">`).join("");
      return `${levels}${`<b xmlns:m="urn:word"/>`.repeat(50_000)}${"</a>".repeat(250)}`;
    },
    50_250,
  ],
])(
  "%s cost time linear in their length",
  (_name, make, outcome) => {
    expect(outcomeOf(make())).toBe(outcome);
  },
  timeoutMs,
);

test.each([
  ["beginnings of document type declarations", "<!DOCTYPE ".repeat(500_000)],
  ["comments before the root", "<!---->".repeat(700_000)],
  ["comments that never end", "<!--".repeat(1_000_000)],
])(
  "a tree of five megabytes of %s is refused or found empty at once",
  (_name, xml) => {
    let outcome: unknown;
    try {
      outcome = parseXmlTree(xml, 256).children.length;
    } catch (error) {
      outcome = error;
    }
    expect(outcome === 0 || outcome instanceof AppError).toBe(true);
  },
  timeoutMs,
);
