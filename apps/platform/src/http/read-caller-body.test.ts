import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readCallerBody } from "./read-caller-body.ts";
import { toProblem } from "./to-problem.ts";

test("a connection of the caller that breaks is told as that, and not as a fault of ours", async () => {
  async function* broken() {
    yield Buffer.from("first");
    throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  }
  const chunks: string[] = [];
  const read = async (): Promise<void> => {
    for await (const chunk of readCallerBody(Readable.from(broken()))) chunks.push(String(chunk));
  };
  const error = await read().catch((thrown: unknown) => thrown);
  expect(chunks).toEqual(["first"]);
  expect(toProblem(error, "request")).toMatchObject({ problem: { status: 499, reason: "CALLER_GONE" }, isOurs: false });
});

test("what the reader throws is not taken for it", async () => {
  const read = async (): Promise<void> => {
    for await (const _ of readCallerBody(Readable.from([Buffer.from("first")]))) throw new Error("own");
  };
  await expect(read()).rejects.toThrow("own");
});
