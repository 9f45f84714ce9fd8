/** Pieces of a message of Protocol Buffers. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}

export function numberField(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

export function bytesField(field: number, bytes: Buffer | string): Buffer {
  const body = Buffer.from(bytes as string);
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
}

export function reference(field: number, id: number): Buffer {
  return bytesField(field, numberField(1, id));
}

export interface ObjectParts {
  readonly id: number;
  readonly type: number;
  readonly body: Buffer;
}

/** A part of the package: objects behind one another, in a chunk of Snappy that compresses nothing. */
export function makePart(objects: readonly ObjectParts[]): Buffer {
  const stream = Buffer.concat(
    objects.flatMap(({ id, type, body }) => {
      const message = Buffer.concat([numberField(1, type), numberField(3, body.length)]);
      const info = Buffer.concat([numberField(1, id), bytesField(2, message)]);
      return [varint(info.length), info, body];
    }),
  );
  return makeChunk(Buffer.concat([varint(stream.length), ...literals(stream)]));
}

export function makeChunk(block: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUIntLE(block.length, 1, 3);
  return Buffer.concat([header, block]);
}

function literals(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 60) {
    const piece = bytes.subarray(at, at + 60);
    pieces.push(Buffer.from([(piece.length - 1) << 2]), piece);
  }
  return pieces;
}

export interface SlideParts {
  readonly title?: string;
  readonly body?: string;
  readonly box?: string;
  readonly notes?: string;
  /** Types of further objects on the slide. */
  readonly others?: readonly number[];
}

/** Parts of a presentation by their names, its slides in parts of their own. */
export function makeParts(slides: readonly SlideParts[]): Record<string, Buffer> {
  const nodes = slides.map((_, index) => ({ id: 100 + index, type: 4, body: reference(2, 1000 * (index + 1)) }));
  const tree = bytesField(3, Buffer.concat(nodes.map(({ id }) => reference(2, id))));
  const document = [{ id: 1, type: 1, body: reference(2, 2) }, { id: 2, type: 2, body: tree }, ...nodes];
  return {
    "Index/Document.iwa": makePart(document),
    ...Object.fromEntries(
      slides.map((slide, index) => [`Index/Slide-${index}.iwa`, makePart(objectsOf(slide, 1000 * (index + 1)))]),
    ),
  };
}

function objectsOf({ title, body, box, notes, others = [] }: SlideParts, id: number): ObjectParts[] {
  const texts: readonly (readonly [number, string | undefined])[] = [
    [5, title],
    [6, body],
    [7, box],
    [27, notes],
  ];
  const held = texts.flatMap(([field, words], index) =>
    words === undefined ? [] : [{ field, words, holder: id + 10 * (index + 1), storage: id + 10 * (index + 1) + 1 }],
  );
  const slide = Buffer.concat([
    ...held.map(({ field, holder }) => reference(field, holder)),
    ...others.map((_, index) => reference(7, id + 500 + index)),
  ]);
  return [
    { id, type: 5, body: slide },
    // What holds a text leads back to its slide.
    ...held.flatMap(({ words, holder, storage }) => [
      { id: holder, type: 7, body: Buffer.concat([bytesField(1, reference(2, id)), reference(3, storage)]) },
      { id: storage, type: 2001, body: bytesField(3, words) },
    ]),
    ...others.map((type, index) => ({ id: id + 500 + index, type, body: reference(2, id) })),
  ];
}
