import { startFakeMineruCloud } from "@attune/testkit/fake-mineru-cloud.ts";
import type { HttpFixture } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll } from "vitest";
import { describeEngine } from "../engine.contract.ts";
import { mineruCloud } from "./engine.ts";

let server: HttpFixture;
beforeAll(async () => {
  server = await startFakeMineruCloud("s3cret");
});
afterAll(() => server[Symbol.asyncDispose]());

describeEngine({
  definition: mineruCloud,
  environment: () => ({ PARSER_MINERU_CLOUD_URL: server.origin, PARSER_MINERU_CLOUD_API_KEY: "s3cret" }),
  unavailable: { environment: {}, reason: /PARSER_MINERU_CLOUD_API_KEY/ },
  document: { format: "pdf", bytes: () => Buffer.from("the text") },
  expected: /^# Cloud\n\nthe text/,
  secrets: ["s3cret"],
  failures: [
    { name: "a document that it cannot read", reason: "ENGINE_FAILED", bytes: Buffer.from("fail") },
    {
      name: "a token that is refused",
      reason: "ENGINE_FAILED",
      environment: () => ({ PARSER_MINERU_CLOUD_URL: server.origin, PARSER_MINERU_CLOUD_API_KEY: "wrong" }),
    },
  ],
});
