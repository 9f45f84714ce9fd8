import { AppError } from "@attune/service-kit/app-error.ts";
import { expect, test } from "vitest";
import { closeAfter } from "./close-after.ts";

function run(use: () => string): { outcome: unknown; isClosed: boolean } {
  let isClosed = false;
  const close = () => {
    isClosed = true;
  };
  try {
    return { outcome: closeAfter(use, close), isClosed };
  } catch (error) {
    return { outcome: error, isClosed };
  }
}

test("what was used is closed after success, and after a failure that says why", () => {
  const failure = new AppError("DOCUMENT_CORRUPT");
  expect(run(() => "done").outcome).toBe("done");
  expect(
    run(() => {
      throw failure;
    }),
  ).toEqual({ outcome: failure, isClosed: true });
});

test("after a fault of the library nothing is touched", () => {
  const fault = new Error("unreachable");
  expect(
    run(() => {
      throw fault;
    }),
  ).toEqual({ outcome: fault, isClosed: false });
});
