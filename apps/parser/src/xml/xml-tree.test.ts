import { AppError } from "@attune/service-kit/app-error.ts";
import { describe, expect, test } from "vitest";
import { childElements, elementText, findDescendant, parseXmlTree } from "./xml-tree.ts";

describe("parseXmlTree", () => {
  test("gives elements without prefix, attributes with theirs, and text", () => {
    const [root] = childElements(parseXmlTree(`<a:r xmlns:a="u" a:k="1">x<a:b>y</a:b></a:r>`, 9));
    expect(root?.name).toBe("r");
    expect(root?.attributes.get("a:k")).toBe("1");
    expect(elementText(root)).toBe("xy");
    expect(findDescendant(root ?? parseXmlTree("", 9), "b")?.children).toEqual(["y"]);
  });

  test.each([
    [
      "with a public identifier",
      `<?xml version="1.0"?><!-- <c> --><!DOCTYPE ncx PUBLIC "-//x//y" "http://z/n.dtd"><r/>`,
    ],
    ["with nothing else", "<!DOCTYPE r><r/>"],
    ["in lower case", "<!doctype r ><r/>"],
  ])("skips a document type declaration %s", (_name, xml) => {
    expect(childElements(parseXmlTree(xml, 9)).map(({ name }) => name)).toEqual(["r"]);
  });

  test.each([
    ["with an internal subset", `<!DOCTYPE r [<!ENTITY e "x">]><r/>`],
    ["that is the second", "<!DOCTYPE r><!DOCTYPE r><r/>"],
    ["inside the root", "<r><!DOCTYPE r></r>"],
    ["in a comment and again outside", `<!-- <!DOCTYPE r> --><!DOCTYPE r [<!ENTITY e "x">]><r/>`],
  ])("refuses one %s", (_name, xml) => {
    expect(() => parseXmlTree(xml, 9)).toThrow(AppError);
  });
});
