import { AppError } from "@attune/service-kit/app-error.ts";
import { expect, test } from "vitest";
import { createWorkerPool } from "../../isolation/create-worker-pool.ts";
import { describeEngine } from "../engine.contract.ts";
import { createEngine, failureOf, requestFor, until } from "../engine-under-test.contract.ts";
import { builtin } from "./engine.ts";

describeEngine({
  definition: builtin,
  environment: () => ({}),
  document: { format: "html", bytes: () => Buffer.from("<h1>Title</h1><p>Text</p>") },
  expected: /^# Title\n\nText\n$/,
  failures: [{ name: "a damaged document", reason: "DOCUMENT_CORRUPT", format: "docx", bytes: Buffer.from("PK") }],
});

test("a caller who leaves while a document is read has its worker back at once", async () => {
  const pool = await createWorkerPool({ workers: 1, warmFormats: [] });
  try {
    const bytes = Buffer.from("<p>A <b>long</b> document of many paragraphs.</p>\n".repeat(400_000));
    const controller = new AbortController();
    const reason = new AppError("CALL_CANCELLED");
    const request = requestFor(builtin, { format: "html", bytes });
    const failing = failureOf(createEngine(builtin, {}, pool).parse(request, controller.signal));
    await until(async () => pool.stats().busy === 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(pool.stats().busy).toBe(1);
    controller.abort(reason);
    expect(await failing).toBe(reason);
    expect(pool.stats().busy).toBe(0);
  } finally {
    await pool.close();
  }
});

test("a document that is read has the time that its request has left", async () => {
  const pool = await createWorkerPool({ workers: 1, warmFormats: [] });
  try {
    const overrides = { timeout_ms: "1000" };
    const request = requestFor(builtin, { format: "txt", bytes: Buffer.from("text"), overrides });
    request.clock.discount(-1000);
    const parsing = createEngine(builtin, {}, pool).parse(request, new AbortController().signal);
    expect(await failureOf(parsing)).toMatchObject({ reason: "PARSE_TIMEOUT" });
  } finally {
    await pool.close();
  }
});
