import { AppError } from "@attune/service-kit/app-error.ts";
import { startFakeModelApi } from "@attune/testkit/fake-model-api.ts";
import { describe, expect, it } from "vitest";
import { failureOf, never, say, startApiUnderTest } from "./model-api-under-test.contract.ts";

async function askAt(apiUrl: string, denyPrivate = false): Promise<string> {
  await using under = await startApiUnderTest({ settings: { denyPrivate, maxAttempts: 1 }, endpoint: { apiUrl } });
  return await failureOf(under.api.complete(say("go"), never));
}

describe("the guard of addresses", () => {
  it.each([
    "http://169.254.169.254/latest",
    "http://0xa9fea9fe/",
    "http://2852039166/",
    "http://[::ffff:169.254.169.254]/v1",
    "http://[64:ff9b::a9fe:a9fe]/v1",
    "http://[2002:a9fe:a9fe::1]/v1",
    "http://[fd00:ec2::254]/v1",
    "http://100.100.100.200/v1",
    "http://168.63.129.16/v1",
    "http://169.254.1.1/v1",
    "http://0.0.0.0:8000/v1",
    "http://[::]:8000/v1",
    "http://224.0.0.1/v1",
    "http://[fe80::1]/v1",
  ])("refuses %s always", async (url) => {
    expect(await askAt(url)).toContain("MODEL_API_ADDRESS_REFUSED");
  });

  it("lets private addresses through by default, by address and by name", async () => {
    await using fake = await startFakeModelApi();
    expect(await askAt(fake.apiUrl)).toBe("no failure");
    expect(await askAt(`http://localhost:${fake.port}/v1`)).toBe("no failure");
  });

  it("refuses them when the operator says so, by address and by name, without connecting", async () => {
    await using fake = await startFakeModelApi();
    expect(await askAt(fake.apiUrl, true)).toContain("MODEL_API_ADDRESS_REFUSED");
    expect(await askAt(`http://localhost:${fake.port}/v1`, true)).toContain("It is a loopback address.");
    for (const url of ["http://10.0.0.1/v1", "http://192.168.1.1/v1", "http://[fd12::1]/v1", "http://[::1]:1/v1"]) {
      expect(await askAt(url, true)).toContain("MODEL_API_ADDRESS_REFUSED");
    }
    expect(fake.requests).toEqual([]);
  });
});

describe("api_url", () => {
  it.each([
    ["ftp://host/v1", "neither http"],
    ["host:8000/v1", "neither http"],
    ["not a url", "not a URL"],
    ["http://user:pass@host/v1", "a user or a password"],
    ["http://host/v1?key=1", "a query"],
    ["http://host/v1#x", "a query"],
    ["http://ok\\@host/v1", "not a URL"],
    ["http://host/v1/chat/completions", "/chat/completions, which belongs to one operation"],
    ["http://host/v1/models/", "/models, which belongs to one operation"],
  ])("is refused as %s", async (apiUrl, words) => {
    await using under = await startApiUnderTest();
    const open = () => under.open({ apiUrl });
    expect(open).toThrow(AppError);
    expect(open).toThrow(words);
  });

  it("may end with slashes", async () => {
    await using under = await startApiUnderTest();
    const api = under.open({ apiUrl: `${under.fake.apiUrl}//` });
    expect((await api.complete(say("go"), never)).finishReason).toBe("stop");
  });
});
