import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, beforeEach, afterEach } from "vitest";
import { createLeaseNode, explicit, type LeaseNode, usesOf } from "./lease-node.fixture.ts";

let node: LeaseNode;
beforeEach(async () => {
  node = await createLeaseNode();
});
afterEach(() => node.close());

describe("a start of the agent", () => {
  it("keeps what lives or is claimed, with its token, and gives back the rest, which it tells", async () => {
    const before = await node.open();
    const kept = await before.acquire("job:alive", explicit(0));
    const claimed = await before.acquire("job:claimed", explicit(1));
    await before.acquire("job:gone", explicit(2));
    node.alive.add("job:alive");
    node.claims = [{ holder: "job:claimed", gpus: [1] }];
    node.nowMs += 1_000_000;
    const after = await node.open();
    expect(after.list()).toEqual([kept, claimed].map((lease) => ({ ...lease, expiresAtMs: node.nowMs + 60_000 })));
    expect(usesOf(after)).toEqual(["busy", "reserved", "free", "free"]);
    expect(node.log.filter((line) => line.includes("job:gone"))).toHaveLength(1);
    await after.renew("job:claimed", claimed?.token ?? 0);
  });

  it("goes on with greater tokens, though the lease that had the last one is gone", async () => {
    node.nowMs = 5;
    const last = await (await node.open()).acquire("job:a", explicit(0));
    const next = await (await node.open()).acquire("job:b", explicit(0));
    expect(next?.token).toBeGreaterThan(last?.token ?? Infinity);
  });

  const broken = [
    "",
    "{",
    "null",
    '{"version":2}',
    '{"version":1,"last_token":1,"leases":[{"lease_id":"a","holder":"job:a","gpus":[-1],"token":1}]}',
  ];
  it.each(broken)("keeps a file that it cannot understand, tells it, and asks the processes: %s", async (text) => {
    const token = (await (await node.open()).acquire("job:a", explicit(0)))?.token ?? Infinity;
    await writeFile(node.path, text);
    node.alive.add("job:a").add("job:b");
    node.claims = [
      { holder: "job:a", gpus: [0] },
      { holder: "job:b", gpus: [2, 1] },
    ];
    node.nowMs += 1;
    const leases = await node.open();
    expect([...leases.uses().values()].map(({ holder }) => holder)).toEqual(["job:a", "job:b", "job:b", null]);
    expect(Math.min(...leases.list().map((lease) => lease.token))).toBeGreaterThan(token);
    expect(node.log.join("")).toContain("cannot be understood");
    const aside = (await readdir(node.folder)).find((name) => name.startsWith("leases.json.corrupt-"));
    expect(await readFile(join(node.folder, aside ?? ""), "utf8")).toBe(text);
  });

  it("keeps both of two living holders of one GPU, and frees it when both have ended", async () => {
    node.alive.add("job:a").add("job:b");
    node.claims = [
      { holder: "job:a", gpus: [0] },
      { holder: "job:b", gpus: [0] },
      { holder: "job:c", gpus: [0] },
    ];
    const leases = await node.open();
    expect(leases.list().map(({ holder }) => holder)).toEqual(["job:a", "job:b"]);
    expect(node.log.join("")).toContain("Processes of two holders use the same GPU");
    for (const holder of ["job:b", "job:a"]) {
      expect(usesOf(leases)[0]).toBe("busy");
      node.alive.delete(holder);
      await leases.release(holder);
    }
    expect(usesOf(leases)[0]).toBe("free");
  });

  it("does not begin where the file cannot be read", async () => {
    node.path = join(node.folder, "leases.json", "below");
    await expect(node.open()).rejects.toThrow(/ENOENT|ENOTDIR/);
  });
});
