import { startFakeVisionModel } from "@attune/testkit/fake-engines.ts";
import type { HttpFixture } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll } from "vitest";
import { describeEngine } from "../engine.contract.ts";
import { vlm } from "./engine.ts";

let server: HttpFixture;
beforeAll(async () => {
  server = await startFakeVisionModel("s3cret");
});
afterAll(() => server[Symbol.asyncDispose]());

describeEngine({
  definition: vlm,
  peer: {
    kind: "json server",
    environment: (place) => ({ PARSER_VLM_BASE_URL: place, PARSER_VLM_MODEL: "vision" }),
  },
  hasOwnDecoder: true,
  environment: () => ({
    PARSER_VLM_BASE_URL: `${server.origin}/v1`,
    PARSER_VLM_MODEL: "vision",
    PARSER_VLM_API_KEY: "s3cret",
  }),
  unavailable: { environment: {}, reason: /PARSER_VLM_BASE_URL/ },
  document: { format: "png", bytes: () => Buffer.from("the text — whole") },
  expected: /^# Seen\n\nthe text — whole\n$/,
  secrets: ["s3cret"],
  failures: [
    {
      name: "a model that is not there",
      reason: "ENGINE_FAILED",
      environment: () => ({
        PARSER_VLM_BASE_URL: `${server.origin}/v1`,
        PARSER_VLM_MODEL: "other",
        PARSER_VLM_API_KEY: "s3cret",
      }),
    },
  ],
});
