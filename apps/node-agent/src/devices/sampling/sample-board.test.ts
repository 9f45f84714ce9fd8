import { createLogger } from "@attune/service-kit/create-logger.ts";
import { describe, expect, it } from "vitest";
import { makeGpu } from "../devices.fixture.ts";
import { createRoster } from "./create-roster.ts";
import { createSampleBoard } from "./create-sample-board.ts";

describe("the roster", () => {
  it("keeps a GPU that is missing twice in a row, with a fault, and takes it back", () => {
    const roster = createRoster();
    const faults = () => roster.list().map(({ fault }) => fault === null);
    roster.see([makeGpu(0), makeGpu(1)]);
    roster.see([makeGpu(0)]);
    expect(faults()).toEqual([true, true]);
    roster.see([makeGpu(0), makeGpu(1)]);
    roster.see([makeGpu(0)]);
    expect(faults()).toEqual([true, true]);
    roster.see([makeGpu(0)]);
    expect(faults()).toEqual([true, false]);
    expect(roster.list()[1]).toMatchObject({ index: 1, memoryTotalMb: 81_559, memoryUsedMb: null, powerW: null });
    roster.see([makeGpu(0), makeGpu(1)]);
    expect(faults()).toEqual([true, true]);
  });

  it("gives the index of one that is gone to no other", () => {
    const roster = createRoster();
    const { uuid } = makeGpu(1);
    roster.see([makeGpu(0), makeGpu(1)]);
    for (let look = 0; look < 2; look += 1) roster.see([makeGpu(0), makeGpu(1, { uuid: "GPU-new" })]);
    expect(roster.list().map((gpu) => gpu.uuid)).toEqual([makeGpu(0).uuid, uuid]);
    roster.see([makeGpu(0), makeGpu(2, { uuid: "GPU-new" })]);
    expect(roster.list().map(({ index }) => index)).toEqual([0, 1, 2]);
  });
});

describe("the board", () => {
  function create() {
    let nowMs = 1000;
    const log: string[] = [];
    const logger = createLogger("test", "debug", { write: (line: string) => void log.push(line) });
    const board = createSampleBoard({ intervalMs: 1000, logger, now: () => nowMs });
    return { board, log, wait: (ms: number) => (nowMs += ms) };
  }

  it("says that there is no look yet, and why when there cannot be one", () => {
    const { board } = create();
    expect(board.latest()).toMatchObject({ takenAtMs: 0, gpus: [], fault: "The GPUs were not looked at yet." });
    board.fail("The driver is not loaded.");
    expect(board.latest().fault).toBe("The driver is not loaded.");
    expect(board.age()).toBe(Infinity);
  });

  it("calls a sample old after three intervals, and then knows no figures", () => {
    const { board, wait } = create();
    board.post([makeGpu(0, { powerW: 300 }), makeGpu(1, { fault: "GPU is lost" })]);
    board.postProcesses(new Map([[makeGpu(0).uuid, [{ pid: 7, memoryMb: 900 }]]]));
    wait(3000);
    expect(board.latest()).toMatchObject({ takenAtMs: 1000, fault: null });
    expect(board.latest().gpus[0]).toMatchObject({ powerW: 300, processes: [{ pid: 7, memoryMb: 900 }] });
    wait(1);
    expect(board.latest().fault).toBe("The last look at the GPUs was 3 seconds ago.");
    expect(board.latest().gpus).toMatchObject([
      { memoryTotalMb: 81_559, powerW: null, memoryUsedMb: null, processes: null, fault: null },
      { fault: "GPU is lost" },
    ]);
    board.fail("nvidia-smi was ended by SIGKILL.");
    expect(board.latest().fault).toBe("nvidia-smi was ended by SIGKILL. The last look at the GPUs was 3 seconds ago.");
    board.post([makeGpu(0), makeGpu(1)]);
    expect(board.latest().fault).toBeNull();
  });

  it("tells the log once what is wrong, and once that it is over", () => {
    const { board, log } = create();
    board.post([makeGpu(0)]);
    for (let look = 0; look < 3; look += 1) board.fail("It hangs.");
    for (let look = 0; look < 3; look += 1) board.post([makeGpu(0, { fault: "GPU is lost" })]);
    board.post([makeGpu(0)]);
    expect(log.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      "The GPUs cannot be looked at",
      "The GPUs can be looked at again",
      "A GPU cannot be used",
      "A GPU can be used again",
    ]);
  });
});
