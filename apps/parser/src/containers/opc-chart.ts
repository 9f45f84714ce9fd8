import type { Block, TableRow } from "../document/document.ts";
import type { OpcElement } from "./opc-element.ts";

/** Points of one chart; what lies beyond says nothing to a reader of text. */
const maxPoints = 5_000;

/**
 * A chart part (`c:chartSpace`) as a table of its cached values: categories down, series across. Its title is the caption,
 * with the titles of the axes of values; that of the categories stands over them.
 */
export function readOpcChart(root: OpcElement): Block[] {
  const chart = root.child("c:chart");
  const plot = chart?.child("c:plotArea");
  if (plot === undefined) return [];
  const series = plot.elements().flatMap((group) => group.elements("c:ser"));
  const axes = titlesOfAxes(plot);
  const title = [titleOf(chart?.child("c:title")), ...axes.values].filter((text) => text !== "").join(" – ");
  const columns = series.map(readSeries);
  const rows = toRows(columns, axes.categories);
  if (rows.length === 0) return title === "" ? [] : [{ type: "paragraph", inlines: [title] }];
  return [{ type: "table", rows, headerRowCount: 1, ...(title !== "" && { caption: [title] }) }];
}

interface AxisTitles {
  readonly categories: string;
  readonly values: readonly string[];
}

// Charts of points have two axes of values, and the first is that of the categories.
function titlesOfAxes(plot: OpcElement): AxisTitles {
  const axes = plot.elements().filter(({ name }) => /^c:(?:cat|val|date|ser)Ax$/.test(name));
  const main = axes.find(({ name }) => name === "c:catAx" || name === "c:dateAx") ?? axes[0];
  const others = axes.filter((axis) => axis !== main);
  return {
    categories: titleOf(main?.child("c:title")),
    values: others.map((axis) => titleOf(axis.child("c:title"))),
  };
}

interface Series {
  readonly name: string;
  readonly categories: ReadonlyMap<number, string>;
  readonly values: ReadonlyMap<number, string>;
}

function readSeries(series: OpcElement, index: number): Series {
  const name = pointsOf(series.child("c:tx")).get(0) ?? series.child("c:tx")?.child("c:v")?.text ?? "";
  return {
    name: name.trim() === "" ? `Series ${index + 1}` : name.trim(),
    categories: pointsOf(series.child("c:cat") ?? series.child("c:xVal")),
    values: pointsOf(series.child("c:val") ?? series.child("c:yVal")),
  };
}

function pointsOf(source: OpcElement | undefined): Map<number, string> {
  const points = new Map<number, string>();
  if (source === undefined) return points;
  // Categories of several levels, the innermost first.
  const levels = source.descendants("c:lvl").toReversed();
  for (const holder of levels.length > 0 ? levels : [source]) addPoints(holder, points);
  return points;
}

function addPoints(holder: OpcElement, points: Map<number, string>): void {
  for (const point of holder.descendants("c:pt").slice(0, maxPoints)) {
    const index = Number(point.get("idx"));
    if (!Number.isSafeInteger(index) || index < 0 || index >= maxPoints) continue;
    const text = point.child("c:v")?.text.trim() ?? "";
    const outer = points.get(index);
    points.set(index, outer === undefined ? text : `${outer} ${text}`);
  }
}

function toRows(series: readonly Series[], corner: string): TableRow[] {
  const indexes = [...new Set(series.flatMap(({ categories, values }) => [...categories.keys(), ...values.keys()]))];
  if (indexes.length === 0) return [];
  const hasCategories = series.some(({ categories }) => categories.size > 0);
  const rows = indexes
    .sort((a, b) => a - b)
    .map((index) => [
      ...(hasCategories ? [series.find((one) => one.categories.has(index))?.categories.get(index) ?? ""] : []),
      ...series.map(({ values }) => tidyNumber(values.get(index) ?? "")),
    ]);
  return [[...(hasCategories ? [corner] : []), ...series.map(({ name }) => name)], ...rows];
}

// Cached values are binary doubles written out: 4.2999999999999998 is 4.3.
function tidyNumber(text: string): string {
  return /^-?\d+\.\d{10,}$/.test(text) ? String(Number(Number(text).toPrecision(12))) : text;
}

function titleOf(title: OpcElement | undefined): string {
  const paragraphs = title?.path("c:tx", "c:rich")?.elements("a:p") ?? [];
  const lines = paragraphs.map((paragraph) =>
    paragraph
      .descendants("a:t")
      .map((element) => element.text)
      .join(""),
  );
  const cached = title?.child("c:tx")?.descendants("c:v") ?? [];
  return [...lines, ...cached.map((element) => element.text)].join(" ").trim();
}
