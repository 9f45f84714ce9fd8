import { startFakeTika } from "@attune/testkit/fake-engines.ts";
import type { HttpFixture } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll } from "vitest";
import { describeEngine } from "../engine.contract.ts";
import { tika } from "./engine.ts";

let server: HttpFixture;
beforeAll(async () => {
  server = await startFakeTika();
});
afterAll(() => server[Symbol.asyncDispose]());

describeEngine({
  definition: tika,
  environment: () => ({ PARSER_TIKA_URL: server.origin }),
  unavailable: { environment: {}, reason: /PARSER_TIKA_URL/ },
  document: { format: "doc", bytes: () => Buffer.from("a < b") },
  expected: /^# Tika\n\na < b/,
  failures: [{ name: "a document that it cannot parse", reason: "ENGINE_FAILED", bytes: Buffer.from("fail") }],
});
