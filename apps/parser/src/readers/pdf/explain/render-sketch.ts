import type { Line } from "../layout/line.ts";
import type { ObservedPage } from "../layout/observed-page.ts";
import { type PageFrame, toSource } from "../layout/to-source.ts";
import type { Box, Glyph, PageContent } from "../page-content.ts";
import { type BlockRole, type Role, roles } from "./find-roles.ts";
import { type Corners, SvgWriter } from "./svg-writer.ts";

const colours: Readonly<Record<Role, string>> = {
  heading: "#c2185b",
  paragraph: "#1565c0",
  list: "#2e7d32",
  table: "#e65100",
  code: "#5d4037",
  caption: "#6a1b9a",
  footnote: "#00838f",
  continued: "#5c6bc0",
  furniture: "#757575",
};

const notes: Readonly<Record<Role, string>> = {
  heading: "heading, with its level",
  paragraph: "paragraph",
  list: "item of a list",
  table: "table, rows × columns",
  code: "code",
  caption: "caption",
  footnote: "footnote",
  continued: "goes on from a block before it",
  furniture: "running head or foot, page number: left out",
};

const legendWidth = 230;
const maxTooltip = 160;

/** An SVG file of one page: its letters, lines, regions in reading order, and the roles of its blocks. */
export function renderSketch(
  content: PageContent,
  layout: ObservedPage | undefined,
  blocks: readonly BlockRole[],
): string {
  const svg = new SvgWriter({ width: content.width + legendWidth, height: Math.max(content.height, 420) });
  svg.box([0, 0, content.width, content.height], { fill: "#fff", stroke: "#000" });
  for (const image of content.images) svg.box(cornersOf(image), { fill: "#eceff1", stroke: "#90a4ae" });
  for (const rule of content.rules) svg.box(cornersOf(rule), { stroke: "#000", width: 0.8 });
  for (const glyph of content.glyphs) drawGlyph(svg, glyph, content);
  if (layout !== undefined) drawLayout(svg, layout, content);
  for (const [index, block] of blocks.entries()) drawBlock(svg, block, index + 1);
  drawLegend(svg, content, { layout, isCut: svg.isFull });
  return svg.toString();
}

function drawLayout(svg: SvgWriter, layout: ObservedPage, content: PageContent): void {
  const { page } = layout;
  for (const line of page.lines) drawLine(svg, line, page);
  for (const line of page.turnedLines) drawLine(svg, line, frameOfTurned(line, content));
  for (const line of layout.furniture) {
    const frame = page.turnedLines.includes(line) ? frameOfTurned(line, content) : page;
    svg.box(shown(line, frame), { fill: colours.furniture, stroke: colours.furniture, opacity: 0.25 }, "left out");
  }
  const regions = layout.regions.filter((region) => region.length > 0).map((region) => shown(around(region), page));
  for (const region of regions) svg.box(region, { stroke: "#fbc02d", width: 2, dashes: "6 3" });
  for (const [index, region] of regions.entries()) {
    const next = regions[index + 1];
    if (next !== undefined) svg.arrow(centreOf(region), centreOf(next), "#f9a825");
    svg.badge([region[0] - 9, region[1] - 9], String(index + 1), "#f9a825");
  }
}

function drawGlyph(
  svg: SvgWriter,
  { text, left, right, baseline, style }: Glyph,
  { width, height }: PageContent,
): void {
  const frame = frameOf(style.turn, { width, height });
  const box = { left, right, top: baseline - style.size * 0.74, bottom: baseline + style.size * 0.22 };
  svg.box(shown(box, frame), { stroke: "#cfd8dc", width: 0.2 });
  if (style.turn === 0) svg.text([left, baseline], text, { size: style.size, colour: "#455a64" });
}

function drawLine(svg: SvgWriter, line: Line, frame: PageFrame): void {
  svg.box(shown(line, frame), { stroke: "#80cbc4", width: 0.6 });
  for (const word of line.words) svg.box(shown(word, frame), { stroke: "#b0bec5", width: 0.3 });
}

function drawBlock(svg: SvgWriter, { role, label, text, box }: BlockRole, number: number): void {
  // Turned text has no place in the frame of its page.
  if (box.length === 0) return;
  const [left = 0, top = 0, right = 0, bottom = 0] = box;
  const colour = colours[role];
  svg.box(
    [left, top, right, bottom],
    { fill: colour, stroke: colour, opacity: 0.14 },
    `${label}: ${text.slice(0, maxTooltip)}`,
  );
  svg.text([left, top - 1.5], `${number} ${label}`, { size: 5.5, colour });
}

function drawLegend(
  svg: SvgWriter,
  { width, number, hiddenGlyphCount, isCut }: PageContent,
  state: { readonly layout: ObservedPage | undefined; readonly isCut: boolean },
): void {
  const left = width + 14;
  const facts = [
    ...(state.layout === undefined ? ["no text was laid out"] : []),
    ...(state.layout?.isPlain === true
      ? ["given in plain reading order: laid out, it would lose text, or it has too many lines"]
      : []),
    ...(hiddenGlyphCount > 0 ? [`${hiddenGlyphCount} characters cannot be seen: left out`] : []),
    ...(isCut ? ["so many objects that the rest was left out"] : []),
    ...(state.isCut ? ["more boxes than are drawn here"] : []),
  ];
  svg.legend([left, 22], `Page ${number}`, { size: 13 });
  let top = 40;
  for (const role of roles) {
    svg.legend([left, top], notes[role], { colour: colours[role] });
    top += 16;
  }
  svg.legend([left, top], "region, numbered in reading order", { colour: "#f9a825" });
  svg.legend([left, top + 16], "line of text", { colour: "#80cbc4" });
  svg.legend([left, top + 32], "word, letter", { colour: "#b0bec5" });
  svg.legend([left, top + 48], "picture", { colour: "#90a4ae" });
  svg.legend([left, top + 64], "ruling line", { colour: "#000" });
  for (const [index, fact] of facts.entries()) svg.legend([left, top + 90 + index * 14], fact, {});
}

function shown(box: Box, frame: PageFrame): Corners {
  const { left, top, right, bottom } = box;
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = toSource({ left, top, right, bottom, page: 1 }, frame).box ?? [];
  return [x1, y1, x2, y2];
}

function frameOfTurned({ words }: Line, page: PageContent): PageFrame {
  return frameOf(words[0]?.style.turn ?? 0, page);
}

// The sides of the frame are those of the page when text of this turn stands upright.
function frameOf(turn: Glyph["style"]["turn"], { width, height }: { width: number; height: number }): PageFrame {
  const isTurned = turn === 1 || turn === 3;
  return { turn, isMirrored: false, width: isTurned ? height : width, height: isTurned ? width : height };
}

function around(boxes: readonly Box[]): Box {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { left, top, right, bottom } of boxes) {
    box.left = Math.min(box.left, left);
    box.top = Math.min(box.top, top);
    box.right = Math.max(box.right, right);
    box.bottom = Math.max(box.bottom, bottom);
  }
  return box;
}

function cornersOf({ left, top, right, bottom }: Box): Corners {
  return [left, top, right, bottom];
}

function centreOf([left, top, right, bottom]: Corners): readonly [number, number] {
  return [(left + right) / 2, (top + bottom) / 2];
}
