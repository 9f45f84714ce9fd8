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
  peer: { kind: "json server", environment: (place) => ({ PARSER_DOCLING_URL: place }) },
  hasOwnDecoder: true,
  environment: () => ({ PARSER_DOCLING_URL: `${server.origin}/`, PARSER_DOCLING_API_KEY: "s3cret" }),
  unavailable: { environment: {}, reason: /PARSER_DOCLING_URL/ },
  document: { format: "pdf", bytes: () => Buffer.from("the text — whole") },
  expected: /^# document\.pdf\n\nthe text — whole/,
  follows: [
    { overrides: { pages: "2-4" }, expected: /page_range=2,4 / },
    { overrides: { pages: "3-", max_pages: "2" }, expected: /page_range=3,4 / },
    { overrides: { max_pages: "5" }, expected: /page_range=1,5 / },
    {
      overrides: { pages: "1,4-6" },
      expected: /page_range=1,6 /,
      warnings: ["docling takes one range of pages: it was asked for 1-6, with the pages between."],
    },
    { overrides: { ocr: "always" }, expected: /do_ocr=true force_ocr=true/ },
    { overrides: { ocr: "never" }, expected: /do_ocr=false force_ocr=false/ },
    { overrides: { password: "hush" }, expected: /the text/ },
  ],
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
