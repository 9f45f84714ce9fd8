import { signIn } from "@attune/contracts/rest/identity.ts";
import { listPlatformOperations } from "@attune/contracts/rest/operation-logs.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reasonOf, startTestPlatform, type TestPlatform } from "../testing/start-test-platform.ts";

let run: TestPlatform;

beforeAll(async () => {
  run = await startTestPlatform({ PLATFORM_BEHIND_PROXY: "true" });
});
afterAll(() => run[Symbol.asyncDispose]());

test("only the address that the proxy itself wrote counts: who makes up others is locked out all the same", async () => {
  const victim = await run.addMember("viewer");
  const body = { email: victim.email, password: "wrong" };
  const guess = (madeUp: string, address: string) =>
    reasonOf(run.stranger.call(signIn, { body, headers: { "x-forwarded-for": `${madeUp}, ${address}` } }));
  for (let attempt = 1; attempt <= 5; attempt++) {
    expect(await guess(`10.0.0.${attempt}`, "203.0.113.7")).toBe("SIGN_IN_FAILED");
  }
  expect(await guess("10.0.0.6", "203.0.113.7")).toBe("SIGN_IN_LOCKED");
  expect(await guess("10.0.0.6", "203.0.113.8")).toBe("SIGN_IN_FAILED");
  const { body: log } = await run.operator.client.call(listPlatformOperations, { query: { limit: 1 } });
  expect(log.items[0]).toMatchObject({ action: "signIn", ip: "203.0.113.8" });
});
