import type { ImageBlock } from "../../document/document.ts";
import type { OpcElement } from "../../containers/opc-element.ts";

/** A chart as a picture described by its kind and title. Its numbers are those of the cells, which the sheet has anyway. */
export function describeChart(root: OpcElement): ImageBlock {
  const kind = kindOf(root);
  const title = titleOf(root);
  return { type: "image", alt: title === "" ? kind : `${kind}: ${title}` };
}

const kinds: Readonly<Record<string, string>> = {
  area: "Area chart",
  bar: "Bar chart",
  bubble: "Bubble chart",
  doughnut: "Doughnut chart",
  line: "Line chart",
  pie: "Pie chart",
  radar: "Radar chart",
  scatter: "Scatter chart",
  stock: "Stock chart",
  surface: "Surface chart",
};

function kindOf(root: OpcElement): string {
  const plot = root
    .descendant("c:plotArea")
    ?.elements()
    .find(({ name }) => name.endsWith("Chart"));
  const name = /^c:(?:of)?(\w+?)(?:3D)?Chart$/.exec(plot?.name ?? "")?.[1]?.toLowerCase() ?? "";
  return kinds[name] ?? "Chart";
}

function titleOf(root: OpcElement): string {
  const title = root.descendant("c:chart")?.child("c:title") ?? root.descendant("cx:title");
  const runs = title?.descendants("a:t") ?? [];
  const values = runs.length > 0 ? runs : (title?.descendants("c:v") ?? []);
  return values
    .map(({ text }) => text)
    .join("")
    .replaceAll(/\s+/g, " ")
    .trim();
}
