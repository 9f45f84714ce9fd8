import { expect, test } from "vitest";
import { SvgWriter } from "./svg-writer.ts";

test("text of the document can neither end its element nor hold what XML forbids", () => {
  const svg = new SvgWriter({ width: 10, height: 10 });
  svg.text([1, 2], '</text><script>x</script>"&\u0000\uD800', {});
  expect(svg.toString()).toContain("&lt;/text&gt;&lt;script&gt;x&lt;/script&gt;&quot;&amp;\uFFFD\uFFFD</text>");
});

test("numbers that are none, or have no end, stay within the picture", () => {
  const svg = new SvgWriter({ width: Infinity, height: 10 });
  svg.box([Number.NaN, -Infinity, 1e30, 4], {});
  expect(svg.toString()).not.toMatch(/NaN|Infinity|e\+/);
});
