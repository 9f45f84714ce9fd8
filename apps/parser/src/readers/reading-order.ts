/** A place on a slide or a page, in any unit. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Placed {
  readonly box: Box | undefined;
}

/** Beyond this many shapes the order of the file is kept, so that the work stays in proportion. */
const maxShapes = 500;

/**
 * Shapes in the order in which they are read. Authors mostly add shapes in reading order, so the order of the file stands
 * unless it goes backwards; then the slide is cut into rows, those into columns, and so on.
 */
export function inReadingOrder<Shape extends Placed>(shapes: readonly Shape[]): readonly Shape[] {
  if (shapes.length > maxShapes || shapes.some(({ box }) => box === undefined) || !goesBack(shapes)) return shapes;
  return cut(shapes, 0);
}

function goesBack(shapes: readonly Placed[]): boolean {
  for (let later = 1; later < shapes.length; later++) {
    for (let earlier = 0; earlier < later; earlier++) {
      if (isBefore(shapes[later]?.box, shapes[earlier]?.box)) return true;
    }
  }
  return false;
}

// Wholly above in the same column, or wholly to the left in the same row.
function isBefore(box: Box | undefined, other: Box | undefined): boolean {
  if (box === undefined || other === undefined) return false;
  const sharesColumn = box.left < other.right && other.left < box.right;
  const sharesRow = box.top < other.bottom && other.top < box.bottom;
  return (sharesColumn && box.bottom <= other.top) || (sharesRow && box.right <= other.left);
}

const maxCuts = 12;

function cut<Shape extends Placed>(shapes: readonly Shape[], depth: number): Shape[] {
  if (shapes.length < 2 || depth > maxCuts) return [...shapes];
  const rows = split(
    shapes,
    ({ top }) => top,
    ({ bottom }) => bottom,
  );
  if (rows.length > 1) return rows.flatMap((row) => cut(row, depth + 1));
  const columns = split(
    shapes,
    ({ left }) => left,
    ({ right }) => right,
  );
  if (columns.length > 1) return columns.flatMap((column) => cut(column, depth + 1));
  return shapes.toSorted((a, b) => (a.box?.top ?? 0) - (b.box?.top ?? 0) || (a.box?.left ?? 0) - (b.box?.left ?? 0));
}

// Groups between which a straight line passes.
function split<Shape extends Placed>(
  shapes: readonly Shape[],
  from: (box: Box) => number,
  to: (box: Box) => number,
): Shape[][] {
  const start = (shape: Shape): number => (shape.box === undefined ? 0 : from(shape.box));
  const end = (shape: Shape): number => (shape.box === undefined ? 0 : to(shape.box));
  const groups: Shape[][] = [];
  let reach = -Infinity;
  for (const shape of shapes.toSorted((a, b) => start(a) - start(b))) {
    const group = groups.at(-1);
    if (group === undefined || start(shape) >= reach) groups.push([shape]);
    else group.push(shape);
    reach = Math.max(reach, end(shape));
  }
  return groups;
}
