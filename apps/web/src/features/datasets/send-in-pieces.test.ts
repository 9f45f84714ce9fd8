import { ProblemError } from "@attune/contracts/rest/create-client.ts";
import type { DatasetUpload } from "@attune/contracts/rest/dataset-uploads.ts";
import { expect, test } from "vitest";
import { type PieceCalls, sendInPieces } from "./send-in-pieces.ts";

const size = 100;
const pieceBytes = 30;
const problem = (status: number, reason: string): ProblemError =>
  new ProblemError({ type: "", title: "", status, detail: "", code: "", reason, remedy: "", request_id: "" });
const broken = problem(0, "PLATFORM_UNREACHABLE");

/** A platform that keeps bytes, and fails as the test says. */
function platform(failures: readonly (ProblemError | undefined)[] = [], keptWhenBroken = 0) {
  const state = { offset: 0, calls: [] as string[], state: "open" as DatasetUpload["state"] };
  let count = 0;
  const fail = (): void => {
    const failure = failures[count++];
    if (failure === undefined) return;
    state.offset += keptWhenBroken;
    throw failure;
  };
  const upload = (): DatasetUpload => ({
    id: "u",
    dataset_id: "d",
    name: "a.jsonl",
    size,
    sha256: null,
    mode: "append",
    layout: null,
    offset: state.offset,
    state: state.state,
    version_no: null,
    problem: null,
    expires_at: "",
  });
  const calls: PieceCalls<string> = {
    begin: async () => upload(),
    read: async () => {
      const now = upload();
      if (state.state === "completing") state.state = "completed";
      return now;
    },
    append: async (_, offset) => {
      state.calls.push(`append ${offset}`);
      fail();
      if (offset !== state.offset) throw problem(409, "DATASET_UPLOAD_OFFSET_WRONG");
      state.offset = Math.min(size, offset + pieceBytes);
      return upload();
    },
    complete: async () => {
      state.calls.push("complete");
      return "done";
    },
  };
  return { state, calls };
}

async function send(calls: PieceCalls<string>) {
  const [told, waited]: [(number | undefined)[], number[]] = [[], []];
  const progress = {
    tell: (bytes: number | undefined) => void told.push(bytes),
    wait: async (delayMs: number) => void waited.push(delayMs),
  };
  return { answer: await sendInPieces(calls, progress), told, waited };
}

test("sends piece by piece and completes", async () => {
  const { state, calls } = platform();
  const { answer, told } = await send(calls);
  expect([answer, told]).toEqual(["done", [0, 30, 60, 90, 100]]);
  expect(state.calls).toEqual(["append 0", "append 30", "append 60", "append 90", "complete"]);
});

test("goes on at once behind the bytes that came before the connection broke", async () => {
  const { state, calls } = platform([undefined, broken, problem(502, "x")], 5);
  const { waited } = await send(calls);
  expect(state.calls).toEqual(["append 0", "append 30", "append 35", "append 40", "append 70", "complete"]);
  expect(waited).toEqual([]);
});

test("waits longer each time that nothing has come, and says that the connection is lost", async () => {
  const { state, calls } = platform([broken, broken, broken]);
  const { told, waited } = await send(calls);
  expect([waited, told.slice(0, 4)]).toEqual([
    [500, 1000, 2000],
    [0, undefined, undefined, undefined],
  ]);
  expect(state.offset).toBe(100);
});

test("goes on with an upload that was begun before", async () => {
  const { state, calls } = platform();
  state.offset = 90;
  await send(calls);
  expect(state.calls).toEqual(["append 90", "complete"]);
});

test("gives up when the connection stays away, and at once for what cannot be mended", async () => {
  const away = platform(Array(99).fill(broken));
  await expect(send(away.calls)).rejects.toBe(broken);
  expect(away.state.calls).toHaveLength(16);
  const denied = problem(403, "PERMISSION_DENIED");
  const refused = platform([denied]);
  await expect(send(refused.calls)).rejects.toBe(denied);
  expect(refused.state.calls).toHaveLength(1);
});

test("waits for a completion that is under way, and then asks what came of it", async () => {
  const { state, calls } = platform();
  state.offset = size;
  state.state = "completing";
  const { answer, waited } = await send(calls);
  expect([answer, waited, state.calls]).toEqual(["done", [1000], ["complete"]]);
});
