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
  peer: { kind: "json server", environment: (place) => ({ PARSER_UNSTRUCTURED_URL: place }) },
  hasOwnDecoder: true,
  environment: () => ({ PARSER_UNSTRUCTURED_URL: server.origin, PARSER_UNSTRUCTURED_API_KEY: "s3cret" }),
  unavailable: { environment: {}, reason: /PARSER_UNSTRUCTURED_URL/ },
  document: { format: "txt", bytes: () => Buffer.from("the text — whole") },
  expected: /^## A \\?<title>\n\nthe text — whole\n\n- first\n- second\n\n[^|]+\| a \| b \|/,
  follows: [
    { overrides: { ocr: "always" }, expected: /strategy=ocr_only\n/ },
    { overrides: { ocr: "never" }, expected: /strategy=fast\n/ },
    { overrides: { ocr: "never", unstructured_strategy: "hi_res" }, expected: /strategy=hi_res\n/ },
    { overrides: { ocr_languages: "deu+fra" }, expected: /strategy=auto languages=deu,fra\n/ },
    { overrides: { encoding: "windows-1251" }, expected: /strategy=auto encoding=windows-1251\n/ },
    { overrides: { headers_footers: "keep" }, expected: /^running head\n/ },
  ],
  secrets: ["s3cret"],
  failures: [{ name: "a document that it refuses", reason: "ENGINE_FAILED", bytes: Buffer.from("fail") }],
});
