import {
  artProperty,
  type ArtRecord,
  artRecordAt,
  artRecordsIn,
  artText,
  artType,
  readArtProperties,
} from "../../containers/office-art.ts";
import { u16, u32 } from "./bytes.ts";
import { readPlc } from "./plc.ts";
import type { Stories } from "./stories.ts";
import type { WordFile } from "./word-file.ts";

/** A shape that text, a picture or nothing is in. */
export interface Shape {
  readonly id: number;
  readonly alt: string;
  readonly wordArtText: string;
  /** Number of its picture in the store of the file, from 1; 0 when it has none. */
  readonly pictureNumber: number;
}

/** What is anchored at one place of the text. */
export interface Anchored {
  readonly shapes: readonly Shape[];
  /** How many of the next text boxes belong here, in files of Word 6. */
  readonly boxCount: number;
}

export interface Drawings {
  at(position: number): Anchored | undefined;
}

const anchorBytes = 26;
const oldAnchorBytes = 6;
const noShape = { alt: "", wordArtText: "", pictureNumber: 0 };

/** Shapes by the places of the text that they are anchored to ([MS-DOC] 2.8.37). */
export function readDrawings(file: WordFile, stories: Stories): Drawings {
  const { isWord6 } = file.fib;
  const groups = readShapes(file);
  const anchors = new Map<number, Anchored>();
  const placed = new Set<number>();
  for (const [name, start] of [["shapes", 0] as const, ["headerShapes", stories.headers.start] as const]) {
    const plc = readPlc(file.find(name) ?? Buffer.alloc(0), isWord6 ? oldAnchorBytes : anchorBytes);
    for (let index = 0; index < plc.count; index++) {
      const data = plc.data(index);
      const id = u32(data, 0);
      // A shape stands in one place.
      if (!isWord6 && placed.has(id)) continue;
      placed.add(id);
      const anchored = isWord6
        ? { shapes: [], boxCount: u16(data, 4) }
        : { shapes: groups.get(id) ?? [{ id, ...noShape }], boxCount: 0 };
      anchors.set(start + plc.position(index), anchored);
    }
  }
  return { at: (position) => anchors.get(position) };
}

// The shapes of each group by the number of the group, which anchors name; a shape of its own is a group of one.
function readShapes(file: WordFile): Map<number, Shape[]> {
  const groups = new Map<number, Shape[]>();
  const bytes = file.find("drawings") ?? Buffer.alloc(0);
  let at = artRecordAt(bytes, 0)?.end ?? bytes.length;
  // A byte that tells the main story from headers stands before each drawing ([MS-DOC] 2.9.172).
  for (let drawing = artRecordAt(bytes, at + 1); drawing !== undefined; drawing = artRecordAt(bytes, at + 1)) {
    at = drawing.end;
    if (drawing.type !== artType.drawing) break;
    for (const record of artRecordsIn(drawing.body)) if (record.type === artType.group) addGroups(record, groups);
  }
  return groups;
}

function addGroups({ body }: ArtRecord, groups: Map<number, Shape[]>): void {
  for (const record of artRecordsIn(body)) {
    const shapes = collectShapes(record, 0);
    const [first] = shapes;
    if (first !== undefined) groups.set(first.id, shapes);
  }
}

const maxDepth = 32;

function collectShapes(record: ArtRecord, depth: number): Shape[] {
  if (record.type === artType.shape) return [toShape(record)];
  if (record.type !== artType.group || depth >= maxDepth) return [];
  const shapes: Shape[] = [];
  for (const inner of artRecordsIn(record.body))
    for (const shape of collectShapes(inner, depth + 1)) shapes.push(shape);
  return shapes;
}

function toShape({ body }: ArtRecord): Shape {
  const properties = readArtProperties(body);
  let id = 0;
  for (const { type, body: atom } of artRecordsIn(body)) if (type === artType.shapeAtom) id = u32(atom, 0);
  return {
    id,
    alt: artText(properties, artProperty.description),
    wordArtText: artText(properties, artProperty.wordArtText),
    pictureNumber: properties.get(artProperty.picture)?.value ?? 0,
  };
}
