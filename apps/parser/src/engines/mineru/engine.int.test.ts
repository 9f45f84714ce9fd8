import { startFakeMineru } from "@attune/testkit/fake-engines.ts";
import type { HttpFixture } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll } from "vitest";
import { describeEngine } from "../engine.contract.ts";
import { mineru } from "./engine.ts";

let server: HttpFixture;
beforeAll(async () => {
  server = await startFakeMineru();
});
afterAll(() => server[Symbol.asyncDispose]());

describeEngine({
  definition: mineru,
  environment: () => ({ PARSER_MINERU_URL: server.origin }),
  unavailable: {
    environment: { PARSER_MINERU_URL: "http://127.0.0.1:1" },
    reason: /cannot be reached.*Check that mineru/,
  },
  document: { format: "pdf", bytes: () => Buffer.from("the text") },
  expected: /^## pipeline auto\n\nthe text/,
  failures: [{ name: "a document that it cannot parse", reason: "ENGINE_FAILED", bytes: Buffer.from("fail") }],
});
