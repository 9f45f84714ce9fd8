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
  peer: {
    kind: "json server",
    environment: (place) => ({ PARSER_MINERU_CLOUD_URL: place, PARSER_MINERU_CLOUD_API_KEY: "s3cret" }),
  },
  hasOwnDecoder: true,
  environment: () => ({ PARSER_MINERU_CLOUD_URL: server.origin, PARSER_MINERU_CLOUD_API_KEY: "s3cret" }),
  unavailable: { environment: {}, reason: /PARSER_MINERU_CLOUD_API_KEY/ },
  document: { format: "pdf", bytes: () => Buffer.from("the text — whole") },
  expected: /^# Cloud\n\nthe text — whole/,
  secrets: ["s3cret"],
  follows: [
    { overrides: { pages: "1-3,7" }, expected: /"page_ranges":"1-3,7"/ },
    { overrides: { pages: "1-3,7-", max_pages: "5" }, expected: /"page_ranges":"1-3,7-8"/ },
    { overrides: { max_pages: "5" }, expected: /"page_ranges":"1-5"/ },
    { overrides: { ocr: "never" }, expected: /"is_ocr":false/ },
  ],
  failures: [
    { name: "a document that it cannot read", reason: "ENGINE_FAILED", bytes: Buffer.from("fail") },
    { name: "an archive that cannot be read", reason: "ENGINE_FAILED", bytes: Buffer.from("torn") },
    { name: "an archive whose text is too long", reason: "ENGINE_FAILED", bytes: Buffer.from("bomb") },
    {
      name: "a token that is refused",
      reason: "ENGINE_FAILED",
      environment: () => ({ PARSER_MINERU_CLOUD_URL: server.origin, PARSER_MINERU_CLOUD_API_KEY: "wrong" }),
    },
  ],
});
