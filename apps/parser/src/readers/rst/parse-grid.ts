export interface GridCell {
  readonly lines: readonly string[];
  readonly rowSpan: number;
  readonly columnSpan: number;
}

export interface Grid {
  readonly rows: readonly (readonly GridCell[])[];
  readonly headerRowCount: number;
}

interface Box {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

const maxLines = 2000;
const maxWidth = 2000;
const maxSteps = 4_000_000;

/**
 * Cells of a table drawn with `+`, `-`, `|` and `=`, found by walking along their borders from each upper left corner as
 * docutils' GridTableParser does; undefined when the drawing is not whole or too large.
 */
export function parseGrid(drawing: readonly string[]): Grid | undefined {
  const width = drawing[0]?.length ?? 0;
  if (drawing.length > maxLines || width > maxWidth || drawing.some((line) => line.length > width)) return undefined;
  const divider = drawing.findIndex((line, index) => index > 0 && /^\+=[=+]*\+$/.test(line));
  const lines = drawing.map((line, index) => (index === divider ? line.replaceAll("=", "-") : line).padEnd(width));
  const boxes = new Walker(lines).boxes();
  return boxes === undefined ? undefined : toGrid(boxes, lines, divider);
}

class Walker {
  readonly #lines: readonly string[];
  #steps = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  boxes(): Box[] | undefined {
    const done = new Set<string>();
    const corners: [number, number][] = [[0, 0]];
    const boxes: Box[] = [];
    const last = { bottom: this.#lines.length - 1, right: (this.#lines[0]?.length ?? 0) - 1 };
    for (const [top, left] of corners) {
      const key = `${top},${left}`;
      if (done.has(key) || top === last.bottom || left === last.right) continue;
      done.add(key);
      const box = this.#boxAt(top, left);
      if (this.#steps > maxSteps) return undefined;
      if (box === undefined) continue;
      boxes.push(box);
      corners.push([top, box.right], [box.bottom, left]);
    }
    return boxes.length > 0 ? boxes : undefined;
  }

  #boxAt(top: number, left: number): Box | undefined {
    const line = this.#lines[top] ?? "";
    for (let right = left + 1; right < line.length; right++) {
      const sign = line[right];
      if (sign === "+") {
        const bottom = this.#down({ top, left, right });
        if (bottom !== undefined) return { top, left, bottom, right };
      } else if (sign !== "-") return undefined;
    }
    return undefined;
  }

  #down({
    top,
    left,
    right,
  }: {
    readonly top: number;
    readonly left: number;
    readonly right: number;
  }): number | undefined {
    for (let bottom = top + 1; bottom < this.#lines.length; bottom++) {
      this.#steps++;
      const sign = this.#lines[bottom]?.[right];
      if (sign === "+" && this.#closes({ top, left, bottom, right })) return bottom;
      if (sign !== "+" && sign !== "|") return undefined;
    }
    return undefined;
  }

  // Whether the lower and the left border of a box are drawn.
  #closes({ top, left, bottom, right }: Box): boolean {
    const lower = (this.#lines[bottom] ?? "").slice(left, right + 1);
    this.#steps += right - left + bottom - top;
    if (this.#steps > maxSteps || !/^\+[-+]*\+$/.test(lower)) return false;
    for (let row = top + 1; row < bottom; row++) {
      const sign = this.#lines[row]?.[left];
      if (sign !== "|" && sign !== "+") return false;
    }
    return true;
  }
}

function toGrid(boxes: readonly Box[], lines: readonly string[], divider: number): Grid {
  const tops = uniqueSorted(boxes.map(({ top }) => top));
  const lefts = uniqueSorted(boxes.map(({ left }) => left));
  const indexOf = (edges: readonly number[]): ReadonlyMap<number, number> =>
    new Map(edges.map((edge, index) => [edge, index]));
  const rowOf = indexOf(tops);
  const columnOf = indexOf(lefts);
  const rows: { column: number; cell: GridCell }[][] = tops.map(() => []);
  for (const { top, left, bottom, right } of boxes) {
    const row = rowOf.get(top) ?? 0;
    const column = columnOf.get(left) ?? 0;
    const rowSpan = Math.max(1, (rowOf.get(bottom) ?? tops.length) - row);
    const columnSpan = Math.max(1, (columnOf.get(right) ?? lefts.length) - column);
    const content = lines.slice(top + 1, bottom).map((line) =>
      line
        .slice(left + 1, right)
        .replace(/^ /, "")
        .trimEnd(),
    );
    rows[row]?.push({ column, cell: { lines: content, rowSpan, columnSpan } });
  }
  return {
    rows: rows.map((row) => row.sort((a, b) => a.column - b.column).map(({ cell }) => cell)),
    headerRowCount: divider === -1 ? 0 : tops.filter((top) => top < divider).length,
  };
}

function uniqueSorted(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
