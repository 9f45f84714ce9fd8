import { afterEach, describe, expect, it } from "vitest";
import { countCodePoints } from "../document/count-code-points.ts";
import { createWorkerPool } from "./create-worker-pool.ts";
import { textPieceBytes } from "./messages.ts";
import { plainOptions } from "./testing/parse-options.ts";
import { limitsWithin, noSignal, type PoolHarness, reasonOf, startHarness } from "./testing/pool-harness.ts";

let harness: PoolHarness | undefined;
afterEach(async () => {
  await harness?.pool.close();
  harness = undefined;
});

const start = async (maxOutputBytes = 1 << 26) =>
  (harness = await startHarness("process", { limits: { ...limitsWithin(60_000), maxOutputBytes } }));

describe("a text sent in pieces", () => {
  it("is joined to the text that the reader gives, code points counted", async () => {
    const pool = await createWorkerPool({ workers: 1, warmFormats: [] }, { level: "process" });
    try {
      const line = `${"wörter 𝒳 ".repeat(20)}end`;
      const text = Array.from({ length: 5000 }, (_, index) => `${index} ${line}`).join("\n\n");
      const input = { bytes: Buffer.from(text), fileName: "a.txt", format: "txt" };
      const options = { ...plainOptions, render: { ...plainOptions.render, outputFormat: "text" as const } };
      const { content, contentLength } = await pool.read(input, options, noSignal);
      expect(content.length).toBeGreaterThan(textPieceBytes * 4);
      expect(Buffer.from(content).toString() === `${text}\n`).toBe(true);
      expect(contentLength).toBe(countCodePoints(text) + 1);
    } finally {
      await pool.close();
    }
  });

  it("is refused when it passes the limit after some pieces, and its worker goes on", async () => {
    const limits = { ...limitsWithin(60_000), maxOutputBytes: textPieceBytes * 2 };
    const pool = await createWorkerPool({ workers: 1, warmFormats: [], limits }, { level: "process" });
    try {
      const read = (text: string) =>
        pool.read({ bytes: Buffer.from(text), fileName: "a.txt", format: "txt" }, plainOptions, noSignal);
      expect(await reasonOf(read("A paragraph.\n\n".repeat(100_000)))).toBe("OUTPUT_TOO_LARGE");
      expect(Buffer.from((await read("again")).content).toString()).toBe("again\n");
      expect(pool.stats().restarts.crash).toBe(0);
    } finally {
      await pool.close();
    }
  });

  it("gives no half answer when its worker ends in the middle", async () => {
    const { act } = await start();
    expect(await reasonOf(act("half"))).toBe("PARSER_CRASHED");
    expect(await act("echo=again")).toBe("again");
  });

  it("leaves nothing for the next document when the reader fails in the middle", async () => {
    const { act, pool } = await start();
    expect(await reasonOf(act("halfRefused"))).toBe("PASSWORD_REQUIRED");
    expect(await act("echo=again")).toBe("again");
    expect(pool.stats().restarts.crash).toBe(0);
  });

  it("ends the worker that sends more than an answer may have, or pieces without number", async () => {
    const { act, log } = await start(textPieceBytes * 2);
    expect(await reasonOf(act("flood"))).toBe("PARSER_CRASHED");
    expect(log()).toContain(`text of ${textPieceBytes * 3} bytes`);
    expect(await reasonOf(act("crumb"))).toBe("PARSER_CRASHED");
    expect(log()).toContain("a piece of 1 bytes");
    expect(await act("echo=again")).toBe("again");
  });
});
