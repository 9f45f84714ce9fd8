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
  peer: { kind: "server", environment: (place) => ({ PARSER_TIKA_URL: place }) },
  hasOwnDecoder: true,
  environment: () => ({ PARSER_TIKA_URL: server.origin }),
  unavailable: { environment: {}, reason: /PARSER_TIKA_URL/ },
  document: { format: "doc", bytes: () => Buffer.from("a < b — whole") },
  expected: /^# Tika\n\na < b — whole/,
  follows: [
    { overrides: { password: "open me" }, expected: /opened with 7 characters/ },
    { overrides: { pages: "9", max_pages: "1" }, expected: /a < b/ },
  ],
  failures: [
    { name: "a document that it cannot parse", reason: "ENGINE_FAILED", bytes: Buffer.from("fail") },
    {
      name: "a password that would be another header",
      reason: "OVERRIDE_INVALID",
      overrides: { password: "s3cret\r\nx-other: 1" },
    },
  ],
  secrets: ["s3cret"],
});
