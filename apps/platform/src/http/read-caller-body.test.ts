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

test("a connection that stays open and brings nothing is given up", async () => {
  const body = new Readable({ read: () => undefined });
  body.push("first");
  const chunks: string[] = [];
  const read = async (): Promise<void> => {
    for await (const chunk of readCallerBody(body, 50)) chunks.push(String(chunk));
  };
  await expect(read()).rejects.toMatchObject({
    reason: "CALLER_GONE",
    details: { detail: "No byte has come for 0.05 s." },
  });
  expect(chunks).toEqual(["first"]);
  expect(body.destroyed).toBe(true);
});

test("the time in which the reader is busy is not the caller's", async () => {
  const body = new Readable({ read: () => undefined });
  body.push("first");
  const chunks: string[] = [];
  for await (const chunk of readCallerBody(body, 60_000)) {
    chunks.push(String(chunk));
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (chunks.length === 1) body.push("second");
    else body.push(null);
  }
  expect(chunks).toEqual(["first", "second"]);
});
