import { describe, expect, it } from "vitest";
import { textPieceBytes } from "./messages.ts";
import { sendText } from "./send-text.ts";

function send(parts: Iterable<string>, maxBytes = 1 << 26) {
  const pieces: Buffer[] = [];
  const text = sendText(parts, maxBytes, (piece) => pieces.push(Buffer.from(piece)));
  return { ...text, pieces };
}

const half = "é𝒳".repeat(textPieceBytes / 8);

describe("a text sent while it is made", () => {
  it("goes with its result when it is short", () => {
    const { content, contentLength, pieces } = send(["né", "", "𝒳"]);
    expect([content.toString(), contentLength, pieces]).toEqual(["né𝒳", 3, []]);
  });

  it("goes in pieces of a least size, which together are the text", () => {
    const { content, contentLength, pieces } = send([...Array<string>(8).fill(half), "end"]);
    expect(Buffer.concat([...pieces, content]).toString()).toBe(`${half.repeat(8)}end`);
    expect(contentLength).toBe((textPieceBytes / 4) * 8 + 3);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.every(({ length }) => length >= textPieceBytes)).toBe(true);
  });

  it("is refused where it passes the limit, and its making ends there", () => {
    let made = 0;
    const endless = function* () {
      for (;;) {
        made += 1;
        yield half;
      }
    };
    const failure = { reason: "OUTPUT_TOO_LARGE" };
    expect(() => send(endless(), textPieceBytes * 3)).toThrow(expect.objectContaining(failure));
    expect(made).toBeLessThan(12);
  });

  it.each([
    ["in characters", "x".repeat(11)],
    ["in bytes alone", "é".repeat(6)],
  ])("is refused when it passes the limit %s", (_, text) => {
    expect(() => send([text], 10)).toThrow(expect.objectContaining({ reason: "OUTPUT_TOO_LARGE" }));
    expect(send([text.slice(0, 5)], 10).content.length).toBeLessThanOrEqual(10);
  });

  it("is refused when a part is longer than a string can be", () => {
    const tooLong = function* () {
      yield "x".repeat(2 ** 29);
    };
    expect(() => send(tooLong(), 2 ** 30)).toThrow(expect.objectContaining({ reason: "OUTPUT_TOO_LARGE" }));
  });
});
