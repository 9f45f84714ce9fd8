import { AppError, type Reason } from "@attune/service-kit/app-error.ts";
import { expect, test } from "vitest";
import { judgeAddresses } from "./judge-addresses.ts";

const addresses = new Map([["tika_url", "http://tika.example/"]]);
const judging = (error: unknown, signal = new AbortController().signal): Promise<void> =>
  judgeAddresses(addresses, () => Promise.reject(error), signal);

test.each<Reason>(["FETCH_REFUSED", "FETCH_FAILED", "FETCH_TIMEOUT", "FILE_URL_INVALID"])(
  "%s stays what it is, with the key",
  async (reason) => {
    const cause = new AppError(reason, { detail: "Its name has no address." });
    await expect(judging(cause)).rejects.toMatchObject({
      reason,
      details: { detail: expect.stringContaining("It stands in the override `tika_url`.") },
      cause,
    });
  },
);

test("a refusal tells nothing of the network", async () => {
  const refusal = new AppError("FETCH_REFUSED", { detail: "It leads to 10.0.0.7." });
  await expect(judging(refusal)).rejects.not.toThrow(/10\.0\.0\.7/);
});

test("what is no judgement is passed on", async () => {
  const fault = new TypeError("fault");
  await expect(judging(fault)).rejects.toBe(fault);
  await expect(judging(fault, AbortSignal.abort("left"))).rejects.toBe("left");
});
