import { startFakeMineru } from "@attune/testkit/fake-engines.ts";
import type { HttpFixture } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorkerPool } from "../../isolation/create-worker-pool.ts";
import { createEngine, requestFor, textOf } from "../engine-under-test.contract.ts";
import { describeEngine } from "../engine.contract.ts";
import { mineru } from "./engine.ts";

let server: HttpFixture;
beforeAll(async () => {
  server = await startFakeMineru();
});
afterAll(() => server[Symbol.asyncDispose]());

describeEngine({
  definition: mineru,
  peer: { kind: "json server", environment: (place) => ({ PARSER_MINERU_URL: place }) },
  hasOwnDecoder: true,
  environment: () => ({ PARSER_MINERU_URL: server.origin }),
  unavailable: {
    environment: { PARSER_MINERU_URL: "http://127.0.0.1:1" },
    reason: /cannot be reached.*Check that mineru/,
  },
  document: { format: "pdf", bytes: () => Buffer.from("the text — whole") },
  expected: /^## pipeline auto\n\nthe text — whole/,
  follows: [
    { overrides: { pages: "2-4" }, expected: /start_page_id=1 end_page_id=3/ },
    { overrides: { pages: "7" }, expected: /start_page_id=6 end_page_id=6/ },
    { overrides: { max_pages: "3" }, expected: /start_page_id=0 end_page_id=2/ },
    { overrides: { pages: "2-" }, expected: /start_page_id=1 end_page_id=99999/ },
    { overrides: { ocr: "always" }, expected: /^## pipeline ocr/ },
    { overrides: { ocr: "never" }, expected: /^## pipeline txt/ },
    { overrides: { ocr: "never", mineru_parse_method: "ocr" }, expected: /^## pipeline ocr/ },
  ],
  failures: [
    { name: "a document that it cannot parse", reason: "ENGINE_FAILED", bytes: Buffer.from("fail") },
    {
      name: "an address of a vision model that the operator's server would connect to",
      reason: "OVERRIDE_INVALID",
      overrides: { mineru_model: "vlm-http-client", mineru_vlm_server_url: "http://127.0.0.1:1" },
    },
  ],
});

test("a caller's own server is told the caller's own vision model", async () => {
  const pool = await createWorkerPool({ workers: 1, warmFormats: [] });
  try {
    const overrides = {
      mineru_endpoint: server.origin,
      mineru_model: "vlm-http-client",
      mineru_vlm_server_url: "http://vision.example:30000",
    };
    const request = requestFor(mineru, { format: "pdf", bytes: Buffer.from("the text"), overrides });
    const parsed = await createEngine(mineru, {}, pool).parse(request, new AbortController().signal);
    expect(textOf(parsed)).toContain("server_url=");
  } finally {
    await pool.close();
  }
});
