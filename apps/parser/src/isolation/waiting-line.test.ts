import { describe, expect, it } from "vitest";
import { createWaitingLine } from "./waiting-line.ts";

const noSignal = new AbortController().signal;

describe("a waiting line", () => {
  it("serves first come, first served, and who comes back before all", async () => {
    const line = createWaitingLine<number>(10);
    const waiting = [line.wait(false, noSignal), line.wait(false, noSignal), line.wait(true, noSignal)];
    expect([line.give(1), line.give(2), line.give(3), line.give(4)]).toEqual([true, true, true, false]);
    expect(await Promise.all(waiting)).toEqual([2, 3, 1]);
  });

  it("forgets who goes, and gives them nothing", async () => {
    const line = createWaitingLine<number>(10);
    const controller = new AbortController();
    const leaving = line.wait(false, controller.signal);
    const staying = line.wait(false, noSignal);
    controller.abort("gone");
    await expect(leaving).rejects.toBe("gone");
    expect(line.length).toBe(1);
    line.give(7);
    expect(await staying).toBe(7);
  });

  it("is not left twice by one who was served", async () => {
    const line = createWaitingLine<number>(10);
    const controller = new AbortController();
    const served = line.wait(false, controller.signal);
    const next = line.wait(false, noSignal);
    line.give(1);
    controller.abort();
    expect(await served).toBe(1);
    expect(line.length).toBe(1);
    line.rejectAll(new Error("closed"));
    await expect(next).rejects.toThrow("closed");
  });

  it("is full at its length", () => {
    const line = createWaitingLine<number>(1);
    expect(line.isFull).toBe(false);
    void line.wait(false, noSignal);
    expect(line.isFull).toBe(true);
  });
});
