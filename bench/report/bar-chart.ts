/** A group of bars: one label, one value for each series. */
export interface BarGroup {
  readonly label: string;
  readonly values: readonly (number | undefined)[];
}

export interface BarChart {
  readonly title: string;
  readonly series: readonly string[];
  readonly groups: readonly BarGroup[];
  /** The value at the right end. */
  readonly max: number;
  /** Digits after the point of the figures beside the bars. */
  readonly digits: number;
  /** A line down the chart, with its words. */
  readonly target?: { readonly value: number; readonly label: string };
}

const colours = ["#1b6ca8", "#e08e0b", "#9b2226", "#4f772d", "#6a4c93"];
const barHeight = 11;
const groupGap = 9;
const left = 190;
const plotWidth = 440;
const top = 58;

/** Horizontal bars as an SVG that needs no other file, on a ground of its own, so that it reads in the dark as well. */
export function drawBarChart(chart: BarChart): string {
  const { groups, series, title } = chart;
  const groupHeight = series.length * barHeight + groupGap;
  const height = top + groups.length * groupHeight + 14;
  const width = left + plotWidth + 70;
  const rows = groups.flatMap((group, index) => drawGroup(chart, group, top + index * groupHeight));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="12" y="20" font-size="14" font-weight="bold">${escapeXml(title)}</text>`,
    ...series.map((name, index) => drawKey(name, index)),
    ...drawTarget(chart, height),
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

function drawKey(name: string, index: number): string {
  const x = 12 + index * 180;
  const text = `<text x="${x + 15}" y="42">${escapeXml(name)}</text>`;
  return `<rect x="${x}" y="33" width="10" height="10" fill="${colourOf(index)}"/>${text}`;
}

function drawTarget({ target, max }: BarChart, height: number): string[] {
  if (target === undefined) return [];
  const x = round(left + (plotWidth * target.value) / max);
  return [
    `<line x1="${x}" x2="${x}" y1="${top - 4}" y2="${height - 8}" stroke="#555" stroke-dasharray="3 3"/>`,
    `<text x="${x + 4}" y="${height - 4}" fill="#555">${escapeXml(target.label)}</text>`,
  ];
}

function drawGroup({ series, max, digits }: BarChart, { label, values }: BarGroup, y: number): string[] {
  const middle = y + (series.length * barHeight) / 2 + 3;
  const name = `<text x="${left - 8}" y="${round(middle)}" text-anchor="end">${escapeXml(label)}</text>`;
  const bars = values.map((value, index) => {
    const barY = y + index * barHeight;
    if (value === undefined) return `<text x="${left + 4}" y="${barY + 9}" fill="#777">–</text>`;
    const length = round((plotWidth * Math.max(0, Math.min(value, max))) / max);
    const figure = `<text x="${left + length + 4}" y="${barY + 9}" font-size="10">${value.toFixed(digits)}</text>`;
    return `<rect x="${left}" y="${barY}" width="${length}" height="${barHeight - 2}" fill="${colourOf(index)}"/>${figure}`;
  });
  return [name, ...bars];
}

function colourOf(index: number): string {
  return colours[index % colours.length]!;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
