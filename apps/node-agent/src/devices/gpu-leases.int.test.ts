import { rm } from "node:fs/promises";
import { describe, expect, it, beforeEach, afterEach } from "vitest";
import { createLeaseNode, explicit, anyOf, type LeaseNode, usesOf } from "./lease-node.fixture.ts";

let node: LeaseNode;
beforeEach(async () => {
  node = await createLeaseNode();
});
afterEach(() => node.close());

describe("acquire", () => {
  it("gives all GPUs of a request or none, and the same holder the lease that it has", async () => {
    const leases = await node.open();
    const first = await leases.acquire("job:a", anyOf(3));
    expect(first?.gpus).toHaveLength(3);
    expect(await leases.acquire("job:b", anyOf(2))).toBeUndefined();
    expect(await leases.acquire("job:a", anyOf(2))).toEqual(first);
    const second = await leases.acquire("job:b", anyOf(1));
    expect(second?.token).toBeGreaterThan(first?.token ?? Infinity);
    expect([...(first?.gpus ?? []), ...(second?.gpus ?? [])].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
  });

  it("gives the CPU a lease of no GPUs, however many are taken", async () => {
    const leases = await node.open();
    await leases.acquire("job:a", anyOf(4));
    expect(await leases.acquire("job:b", { mode: "cpu" })).toMatchObject({ gpus: [], holder: "job:b" });
  });

  it("waits for exactly the GPUs that are named", async () => {
    const leases = await node.open();
    await leases.acquire("job:a", explicit(2));
    expect(await leases.acquire("job:b", explicit(1, 2))).toBeUndefined();
    expect((await leases.acquire("job:c", explicit(3, 1)))?.gpus).toEqual([1, 3]);
    await leases.release("job:a");
    expect((await leases.acquire("job:b", explicit(0, 2)))?.gpus).toEqual([0, 2]);
  });

  it("refuses what the node does not have at all, and waits while its GPUs cannot be seen", async () => {
    const leases = await node.open();
    const refusal = { reason: "GPU_NOT_FOUND" };
    await expect(leases.acquire("job:a", explicit(1, 4))).rejects.toMatchObject(refusal);
    await expect(leases.acquire("job:a", anyOf(5))).rejects.toMatchObject(refusal);
    const large = { mode: "count", count: 1, minMemoryMb: 100_000 } as const;
    await expect(leases.acquire("job:a", large)).rejects.toThrow(/1 with 100000 MB\. The node has 0 \(NVIDIA H100/);
    node.devices.fail("GPU is lost");
    expect(await leases.acquire("job:a", explicit(4))).toBeUndefined();
    expect(await leases.acquire("job:a", explicit(0))).toBeUndefined();
    expect(leases.list()).toEqual([]);
  });

  it("gives no GPU that is faulty or that somebody else's process uses", async () => {
    const leases = await node.open();
    node.devices.set(0, { fault: "GPU is lost" });
    node.devices.run(1, { pid: 7, memoryMb: 201 });
    node.devices.run(2, { pid: 8, memoryMb: 200 });
    expect(usesOf(leases)).toEqual(["faulty", "foreign", "free", "free"]);
    expect(await leases.acquire("job:a", anyOf(3))).toBeUndefined();
    expect((await leases.acquire("job:a", anyOf(2)))?.gpus).toEqual([2, 3]);
  });

  it("gives nothing that could not be written down", async () => {
    const leases = await node.open();
    await rm(node.folder, { recursive: true });
    await expect(leases.acquire("job:a", anyOf(2))).rejects.toMatchObject({ reason: "GPU_LEASES_UNSAVED" });
    expect(usesOf(leases)).toEqual(["free", "free", "free", "free"]);
  });

  it("never gives one GPU to two of eight callers that race for them", async () => {
    const leases = await node.open();
    const holding = new Map<string, readonly number[]>();
    let refusals = 0;
    let grants = 0;
    const caller = async (number: number): Promise<void> => {
      for (let round = 0; round < 200; round += 1) {
        const holder = `job:${number}-${round}`;
        const request =
          (number + round) % 3 === 0 ? explicit(round % 4) : { mode: "count" as const, count: 1 + (round % 3) };
        const lease = await leases.acquire(holder, request);
        if (lease === undefined) {
          refusals += 1;
          continue;
        }
        grants += 1;
        const taken = [...holding.values()].flat();
        expect(lease.gpus.filter((index) => taken.includes(index))).toEqual([]);
        holding.set(holder, lease.gpus);
        await new Promise((resolve) => setImmediate(resolve));
        holding.delete(holder);
        await leases.release(holder);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => caller(number)));
    expect(grants).toBeGreaterThan(200);
    expect(refusals).toBeGreaterThan(200);
    expect(usesOf(leases)).toEqual(["free", "free", "free", "free"]);
  });
});

describe("the end of a lease", () => {
  it("comes when it was not renewed and no process of the holder lives, not before", async () => {
    const leases = await node.open();
    const lease = await leases.acquire("job:a", explicit(0));
    expect(usesOf(leases)[0]).toBe("reserved");
    node.alive.add("job:a");
    expect(leases.uses().get(0)).toEqual({ use: "busy", holder: "job:a" });
    node.nowMs += 60_000;
    await leases.expire();
    expect(usesOf(leases)[0]).toBe("busy");
    await leases.renew("job:a", lease?.token ?? 0);
    node.alive.delete("job:a");
    node.nowMs += 59_999;
    await leases.expire();
    expect(usesOf(leases)[0]).toBe("reserved");
    node.nowMs += 1;
    await leases.expire();
    expect(usesOf(leases)[0]).toBe("free");
    expect(node.log.join("")).toContain("was not renewed");
    await expect(leases.renew("job:a", lease?.token ?? 0)).rejects.toMatchObject({ reason: "LEASE_LOST" });
  });

  it("waits for the last process when the holder gives it back before", async () => {
    const leases = await node.open();
    const lease = await leases.acquire("inference:a", explicit(0));
    node.alive.add("inference:a");
    await leases.release("inference:a");
    expect(usesOf(leases)[0]).toBe("busy");
    expect(await leases.acquire("inference:a", explicit(0))).toBeUndefined();
    await expect(leases.renew("inference:a", lease?.token ?? 0)).rejects.toMatchObject({ reason: "LEASE_LOST" });
    node.alive.delete("inference:a");
    await leases.expire();
    expect(usesOf(leases)[0]).toBe("free");
  });

  it("is refused to an older token", async () => {
    const leases = await node.open();
    const old = await leases.acquire("job:a", explicit(0));
    await leases.release("job:a");
    const present = await leases.acquire("job:a", explicit(0));
    await expect(leases.renew("job:a", old?.token ?? 0)).rejects.toMatchObject({ reason: "LEASE_LOST" });
    await leases.renew("job:a", present?.token ?? 0);
  });

  it("is told to who waits, also when a stranger's process or a fault went away", async () => {
    const leases = await node.open();
    let told = 0;
    const stop = leases.onRelease(() => (told += 1));
    leases.onRelease(() => {
      throw new Error("a listener's own fault");
    });
    await leases.acquire("job:a", explicit(0));
    expect(told).toBe(0);
    await leases.release("job:a");
    expect(told).toBe(1);
    node.devices.run(1, { pid: 7, memoryMb: 5000 });
    await leases.expire();
    node.devices.run(1);
    await leases.expire();
    expect(told).toBe(2);
    stop();
    await leases.acquire("job:a", explicit(0));
    await leases.release("job:a");
    expect(told).toBe(2);
  });

  it("does not come because the GPU is gone: it is faulty and still somebody's", async () => {
    const leases = await node.open();
    await leases.acquire("job:a", explicit(3));
    node.alive.add("job:a");
    node.devices.set(3, { fault: "The driver does not list it any more." });
    node.nowMs += 1_000_000;
    await leases.expire();
    expect(leases.uses().get(3)).toEqual({ use: "faulty", holder: "job:a" });
    expect(leases.list()).toHaveLength(1);
  });

  it("frees the GPUs also where that cannot be written, and tells it", async () => {
    const leases = await node.open();
    await leases.acquire("job:a", explicit(0));
    await rm(node.folder, { recursive: true });
    await leases.release("job:a");
    expect(usesOf(leases)[0]).toBe("free");
    expect(node.log.join("")).toContain("could not be written down");
  });
});

describe("uses", () => {
  it("takes a process of ours on a GPU that it was not given for a use, not for a stranger's", async () => {
    node.owners.set(7, "job:lost");
    node.devices.run(0, { pid: 7, memoryMb: 10 });
    expect((await node.open()).uses().get(0)).toEqual({ use: "busy", holder: "job:lost" });
  });

  it("takes processes of unknown memory for what the others leave of the used memory", async () => {
    node.devices.set(0, {
      memoryUsedMb: 450,
      processes: [
        { pid: 1, memoryMb: 150 },
        { pid: 2, memoryMb: null },
      ],
    });
    node.devices.set(1, {
      memoryUsedMb: 300,
      processes: [
        { pid: 1, memoryMb: 150 },
        { pid: 2, memoryMb: null },
      ],
    });
    node.devices.set(2, { memoryUsedMb: null, processes: [{ pid: 2, memoryMb: null }] });
    expect(usesOf(await node.open())).toEqual(["foreign", "free", "foreign", "free"]);
  });

  it("goes by their memory where processes cannot be seen", async () => {
    for (const [index, memoryUsedMb] of [70_000, 16_000, null, 1].entries())
      node.devices.set(index, { processes: null, memoryUsedMb });
    const leases = await node.open();
    expect(usesOf(leases)).toEqual(["foreign", "free", "foreign", "free"]);
    expect((await leases.acquire("job:a", anyOf(2)))?.gpus).toEqual([1, 3]);
  });

  it("calls GPUs that cannot be seen now faulty, but for those that are somebody's", async () => {
    const leases = await node.open();
    await leases.acquire("job:a", explicit(1));
    node.devices.fail("The last sample is old.");
    expect(usesOf(leases)).toEqual(["faulty", "reserved", "faulty", "faulty"]);
  });
});
