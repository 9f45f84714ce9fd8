import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { AppError } from "./app-error.ts";
import { createLogger } from "./create-logger.ts";

function logged(error: unknown): string {
  let text = "";
  const lines = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  createLogger("test", "info", lines).error({ error }, "something failed");
  return text;
}

test("a line tells what an error is, where it was thrown and what caused it", () => {
  const cause = Object.assign(new TypeError("no such column"), { code: "42703" });
  const line = JSON.parse(logged(new AppError("INTERNAL", {}, cause))) as { error: Record<string, unknown> };
  expect(line.error).toMatchObject({
    type: "AppError",
    reason: "INTERNAL",
    message: expect.stringContaining("INTERNAL: "),
    stack: expect.arrayContaining([expect.stringContaining("create-logger.test.ts")]),
    cause: { type: "TypeError", message: "no such column", code: "42703" },
  });
});

test("the values of a failed statement are in no line, nor what else an error carries", () => {
  const params = ["secret of a model", Buffer.from("secret")];
  const failed = new Error(`Failed query: insert into models values ($1, $2)\nparams: ${params.join()}`);
  const detail = "Failing row contains (secret of a model).";
  const cause = Object.assign(new Error("violates a constraint"), { detail });
  const text = logged(Object.assign(failed, { query: "insert into models values ($1, $2)", params, cause }));
  expect(text).toContain("insert into models values ($1, $2)");
  expect(text).toContain("violates a constraint");
  expect(text).not.toMatch(/secret|params/);
});

test("several errors at once, what is no error and a circle of causes are told, too", () => {
  expect(logged(new AggregateError([new Error("first address"), "second address"]))).toMatch(/first.*second/s);
  expect(logged("plain text")).toContain('"error":"plain text"');
  expect(logged({ token: "secret" })).not.toContain("secret");
  const circle = new Error("round");
  circle.cause = circle;
  expect(logged(circle)).toContain("round");
});
