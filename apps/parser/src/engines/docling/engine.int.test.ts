import { startFakeDocling } from "@attune/testkit/fake-engines.ts";
import type { HttpFixture } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll } from "vitest";
import { describeEngine } from "../engine.contract.ts";
import { docling } from "./engine.ts";

let server: HttpFixture;
beforeAll(async () => {
  server = await startFakeDocling("s3cret");
});
afterAll(() => server[Symbol.asyncDispose]());

describeEngine({
  definition: docling,
  environment: () => ({ PARSER_DOCLING_URL: `${server.origin}/`, PARSER_DOCLING_API_KEY: "s3cret" }),
  unavailable: { environment: {}, reason: /PARSER_DOCLING_URL/ },
  document: { format: "pdf", bytes: () => Buffer.from("the text") },
  expected: /^# document\.pdf\n\nthe text/,
  secrets: ["s3cret", "127.0.0.1"],
  failures: [
    { name: "a document that it cannot convert", reason: "ENGINE_FAILED", bytes: Buffer.from("fail") },
    {
      name: "a wrong key",
      reason: "ENGINE_FAILED",
      environment: () => ({ PARSER_DOCLING_URL: server.origin, PARSER_DOCLING_API_KEY: "wrong" }),
    },
    {
      name: "a server that is not there",
      reason: "ENGINE_UNAVAILABLE",
      environment: () => ({ PARSER_DOCLING_URL: "http://127.0.0.1:1" }),
    },
  ],
});
