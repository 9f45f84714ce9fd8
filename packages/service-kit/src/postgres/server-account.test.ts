import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chooseServerAccount } from "./server-account.ts";

test("who is not root starts the server as it is", () => {
  expect(chooseServerAccount("/nowhere", 1000)).toEqual({ prefix: [] });
});

test.skipIf(process.platform !== "linux")("root never starts the server as root", () => {
  const { prefix, owner } = chooseServerAccount("/nowhere", 0);
  expect(prefix[0] === "unshare" || (owner?.uid ?? 0) > 0).toBe(true);
});

test.skipIf(process.getuid?.() !== 0)("a cluster stays with the account that made it", () => {
  const cluster = mkdtempSync(join(tmpdir(), "cluster-"));
  chownSync(cluster, 65_534, 65_533);
  expect(chooseServerAccount(cluster)).toEqual({ prefix: [], owner: { uid: 65_534, gid: 65_533 } });
  rmSync(cluster, { recursive: true });
});
