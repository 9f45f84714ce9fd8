import { describe, expect, test } from "vitest";
import { assertServerVersion } from "./server-version.ts";

const server = (number: number, version: string) => ({ query: async () => ({ rows: [{ number, version }] }) });

describe("the version of the database server", () => {
  test.each([
    [150_000, "15.0"],
    [150_020, "15.20 (Debian 15.20-0+deb12u1)"],
    [180_004, "18.4"],
  ])("%i is new enough", async (number, version) => {
    await expect(assertServerVersion(server(number, version))).resolves.toBeUndefined();
  });

  test.each([
    [149_999, "14.99"],
    [90_624, "9.6.24"],
  ])("%i is refused, and the message says which one is needed", async (number, version) => {
    await expect(assertServerVersion(server(number, version))).rejects.toThrow(
      `DATABASE_URL: the server is PostgreSQL ${version}; 15 or newer is needed`,
    );
  });
});
