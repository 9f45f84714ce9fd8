import { startFakeUnstructured } from "@attune/testkit/fake-engines.ts";
import type { HttpFixture } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll } from "vitest";
import { describeEngine } from "../engine.contract.ts";
import { unstructured } from "./engine.ts";

let server: HttpFixture;
beforeAll(async () => {
  server = await startFakeUnstructured("s3cret");
});
afterAll(() => server[Symbol.asyncDispose]());

describeEngine({
  definition: unstructured,
  environment: () => ({ PARSER_UNSTRUCTURED_URL: server.origin, PARSER_UNSTRUCTURED_API_KEY: "s3cret" }),
  unavailable: { environment: {}, reason: /PARSER_UNSTRUCTURED_URL/ },
  document: { format: "pdf", bytes: () => Buffer.from("the text") },
  expected: /^## A \\?<title>\n\nthe text\n\n- first\n- second\n\n\| a \| b \|/,
  secrets: ["s3cret"],
  failures: [{ name: "a document that it refuses", reason: "ENGINE_FAILED", bytes: Buffer.from("fail") }],
});
