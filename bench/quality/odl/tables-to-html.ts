import { splitLinesKeepingEnds, strip } from "./python-text.ts";

/** Markdown in which each pipe table is an HTML table on a line of its own; both kinds are compared as one. */
export function tablesToHtml(markdown: string): string {
  const lines = splitLinesKeepingEnds(markdown);
  const rows = lines.map(cellsOf);
  let out = "";
  for (let index = 0; index < lines.length;) {
    const header = rows[index];
    const rule = rows[index + 1];
    if (header === undefined || rule === undefined || !isRule(rule)) {
      out += lines[index];
      index += 1;
      continue;
    }
    let end = index + 2;
    while (rows[end] !== undefined) end += 1;
    const width = Math.max(header.length, rule.length);
    const body = rows.slice(index + 2, end).map((cells) => fitTo(width, cells!));
    out += tableOf(fitTo(width, header), body) + (/\r\n$|[\n\r]$/.exec(lines[index]!)?.[0] ?? "");
    index = end;
  }
  return out;
}

function cellsOf(line: string): string[] | undefined {
  const row = strip(line);
  if (!row.includes("|")) return undefined;
  const cells = row.split("|");
  if (row.startsWith("|")) cells.shift();
  if (cells.length > 0 && row.endsWith("|")) cells.pop();
  return cells.length === 0 ? undefined : cells.map(strip);
}

function isRule(cells: readonly string[]): boolean {
  return cells.every((cell) => /^[-:]+$/.test(cell.replaceAll(" ", "")));
}

// Three cells of a wider table are taken for a title row whose middle cell spans the rest.
function fitTo(width: number, cells: string[]): string[] {
  if (cells.length === width) return cells;
  if (cells.length === 3 && width > 3) {
    return [cells[0]!, ...Array.from({ length: width - 2 }, () => cells[1]!), cells[2]!];
  }
  return Array.from({ length: width }, (_, column) => cells[column] ?? "");
}

// A header without words is left out: the first row of the body stands for it.
function tableOf(header: readonly string[], body: readonly string[][]): string {
  const [first, ...rest] = header.every((cell) => cell === "") && body.length > 0 ? body : [header, ...body];
  return `<table>${rowOf("th", first)}${rest.map((cells) => rowOf("td", cells)).join("")}</table>`;
}

function rowOf(tag: string, cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join("")}</tr>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#x27;");
}
