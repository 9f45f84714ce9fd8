import { expect, test } from "vitest";
import { decodeEntities } from "./entities.ts";

test.each([
  ["text without any", "plain", "plain"],
  ["the five of XML", "&amp;&lt;&gt;&quot;&apos;", `&<>"'`],
  ["each only once", "&amp;lt; &#38;lt;", "&lt; &lt;"],
  ["decimal and hexadecimal references", "&#65;&#x41;&#x1f600;&#128512;", "AA😀😀"],
  ["leading zeros", "&#00000000000065;&#x0000000000041;", "AA"],
  ["what is no character", "&#0;&#xD800;&#x110000;&#99999999999999999999;", "����"],
  [
    "what it does not know",
    "&nbsp; &AMP; &constructor; &toString; & &; &#; &#x; &#xg; &amp",
    "&nbsp; &AMP; &constructor; &toString; & &; &#; &#x; &#xg; &amp",
  ],
])("resolves %s", (_name, text, decoded) => {
  expect(decodeEntities(text)).toBe(decoded);
});
