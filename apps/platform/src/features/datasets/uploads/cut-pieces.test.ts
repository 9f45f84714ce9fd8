import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { cutPieces } from "./cut-pieces.ts";

const limits = { pieceBytes: 10, stallMs: 60_000 };

async function cut(body: Readable, given = limits): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of cutPieces(body, given)) pieces.push(Buffer.from(piece));
  return pieces;
}

describe("bytes that are cut into pieces", () => {
  test.each([0, 1, 9, 10, 11, 25, 30])("are the same bytes, %i of them", async (count) => {
    const bytes = randomBytes(count);
    for (const chunkBytes of [1, 7, 10, 64]) {
      const chunks = Array.from({ length: Math.ceil(count / chunkBytes) }, (_, index) =>
        Buffer.from(bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes)),
      );
      const pieces = await cut(Readable.from(chunks));
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      expect(pieces.slice(0, -1).every((piece) => piece.length === 10)).toBe(true);
    }
  });

  test("end with all that came before the connection broke", async () => {
    async function* broken() {
      yield Buffer.from("0123456789ab");
      throw new Error("aborted");
    }
    expect((await cut(Readable.from(broken()))).map(String)).toEqual(["0123456789", "ab"]);
  });

  test("end with all that came before the sender fell silent", async () => {
    const body = new Readable({ read: () => {} });
    body.push("abc");
    const pieces = await cut(body, { ...limits, stallMs: 20 });
    expect(pieces.map(String)).toEqual(["abc"]);
  });

  test("let the rest of the body go when they are left early, so that its sender can read the answer", async () => {
    const body = Readable.from([Buffer.alloc(10), Buffer.alloc(10), Buffer.alloc(10)], { autoDestroy: false });
    for await (const _ of cutPieces(body, limits)) break;
    await once(body, "end");
    expect(body.destroyed).toBe(false);
  });
});
