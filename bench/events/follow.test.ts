import { createModel } from "@attune/contracts/rest/models.ts";
import { getTenant } from "@attune/contracts/rest/tenants.ts";
import { expect, test } from "vitest";
import { startTestPlatform } from "../../apps/platform/src/testing/start-test-platform.ts";
import { openReaders, publishMany } from "./follow-many.ts";

test("many readers beside slow ones get every event once and in order", async () => {
  await using run = await startTestPlatform({ PLATFORM_EVENT_STREAMS_PER_USER: "100" });
  const { client, token } = run.operator;
  const tenantId = (await client.call(getTenant, {})).body.id;
  const modelId = (await client.call(createModel, { body: { kind: "base", name: "Followed" } })).body.id;
  await using readers = await openReaders({ baseUrl: run.baseUrl, token, quick: 30, slow: 10 });
  await publishMany(run.platform.database, { tenantId, modelId, events: 100, padding: 1900, pauseMs: 0 });
  await readers.untilAll(100);
  expect(readers.faults()).toEqual([]);
  expect(readers.takeLatencies()).toHaveLength(30 * 100);
}, 120_000);
