import { expect, it } from "vitest";
import { drawBarChart } from "./bar-chart.ts";

it("draws bars to scale, with a dash where there is no value, and escapes words", () => {
  const groups = [{ label: "a < b", values: [0.5, undefined] }];
  const svg = drawBarChart({ title: "T & U", series: ["x", "y"], groups, max: 1, digits: 2 });
  expect(svg).toContain('<rect x="190" y="58" width="220" height="9" fill="#1b6ca8"/>');
  expect(svg).toContain(">0.50</text>");
  expect(svg).toContain(">–</text>");
  expect(svg).toContain("a &lt; b");
  expect(svg).toContain("<title>T &amp; U</title>");
});
