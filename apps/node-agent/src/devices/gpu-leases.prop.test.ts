import fc from "fast-check";
import { expect, it } from "vitest";
import type { GpuLeases } from "./gpu-leases.ts";
import { anyOf, createLeaseNode, explicit, type LeaseNode } from "./lease-node.fixture.ts";

const ttlMs = 60_000;
const gpuCount = 4;

interface ModelLease {
  gpus: readonly number[];
  token: number;
  expiresAtMs: number;
  isReleased: boolean;
}

/** What leases must be, kept by the plainest means. */
interface Model {
  readonly leases: Map<string, ModelLease>;
  lastToken: number;
}

const holderArb = fc.constantFrom("job:a", "job:b", "job:c", "inference:d");
const stepArb = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("count" as const),
      holder: holderArb,
      count: fc.integer({ min: 0, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("explicit" as const),
      holder: holderArb,
      indices: fc.array(fc.nat(gpuCount - 1), { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("renew" as const), holder: holderArb, isOld: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("release" as const), holder: holderArb }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("process" as const), holder: holderArb, lives: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, 30_000, 59_999, 60_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("restart" as const), claimed: fc.subarray(["job:a", "job:b"]) }),
  },
);
type Step = typeof stepArb extends fc.Arbitrary<infer T> ? T : never;

const taken = (model: Model): number[] => [...model.leases.values()].flatMap(({ gpus }) => gpus);

function collect(model: Model, node: LeaseNode): void {
  for (const [holder, lease] of model.leases) {
    const isOver = lease.isReleased || lease.expiresAtMs <= node.nowMs;
    if (isOver && !node.alive.has(holder)) model.leases.delete(holder);
  }
}

interface Situation {
  readonly model: Model;
  readonly node: LeaseNode;
  leases: GpuLeases;
}

async function checkAcquire(
  { model, node, leases }: Situation,
  holder: string,
  wanted: { readonly count: number; readonly indices?: readonly number[] },
): Promise<void> {
  const request = wanted.indices === undefined ? anyOf(wanted.count) : explicit(...wanted.indices);
  const lease = await leases.acquire(holder, request);
  collect(model, node);
  const own = model.leases.get(holder);
  if (own !== undefined) {
    expect(lease?.token).toBe(own.isReleased ? undefined : own.token);
    return;
  }
  const held = taken(model);
  const isPossible =
    wanted.indices === undefined
      ? gpuCount - held.length >= wanted.count
      : wanted.indices.every((index) => !held.includes(index));
  expect(lease !== undefined).toBe(isPossible);
  if (lease === undefined) return;
  expect(lease.token).toBeGreaterThan(model.lastToken);
  if (wanted.indices === undefined) expect(lease.gpus).toHaveLength(wanted.count);
  else expect(lease.gpus).toEqual([...new Set(wanted.indices)].toSorted((a, b) => a - b));
  expect(lease.gpus.filter((index) => held.includes(index))).toEqual([]);
  model.lastToken = lease.token;
  model.leases.set(holder, { ...lease, isReleased: false });
}

async function checkRenew({ model, node, leases }: Situation, holder: string, isOld: boolean): Promise<void> {
  const own = model.leases.get(holder);
  const renewal = leases.renew(holder, (own?.token ?? 1) - (isOld ? 1 : 0));
  if (own === undefined || own.isReleased || isOld) {
    await expect(renewal).rejects.toMatchObject({ reason: "LEASE_LOST" });
    return;
  }
  await renewal;
  own.expiresAtMs = node.nowMs + ttlMs;
}

async function checkRestart(situation: Situation, claimed: readonly string[]): Promise<void> {
  const { model, node } = situation;
  await situation.leases.close();
  node.claims = claimed.flatMap((holder) => {
    const lease = model.leases.get(holder);
    return lease === undefined || lease.isReleased ? [] : [{ holder, gpus: lease.gpus }];
  });
  const kept = new Set(node.claims.map(({ holder }) => holder));
  for (const [holder, lease] of model.leases) {
    lease.expiresAtMs = node.nowMs + ttlMs;
    if (!node.alive.has(holder) && !kept.has(holder)) model.leases.delete(holder);
  }
  situation.leases = await node.open();
}

async function release({ model, node, leases }: Situation, holder: string): Promise<void> {
  await leases.release(holder);
  const own = model.leases.get(holder);
  if (own !== undefined && node.alive.has(holder)) own.isReleased = true;
  else model.leases.delete(holder);
}

function apply(situation: Situation, step: Step): Promise<void> | void {
  const { node } = situation;
  switch (step.do) {
    case "count":
      return checkAcquire(situation, step.holder, step);
    case "explicit":
      return checkAcquire(situation, step.holder, { count: step.indices.length, indices: step.indices });
    case "renew":
      return checkRenew(situation, step.holder, step.isOld);
    case "release":
      return release(situation, step.holder);
    case "process":
      if (step.lives) node.alive.add(step.holder);
      else node.alive.delete(step.holder);
      return;
    case "wait":
      node.nowMs += step.ms;
      return;
    case "restart":
      return checkRestart(situation, step.claimed);
  }
}

it("does what a plain model does, whatever holders, processes, time and starts of the agent do", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArb, { maxLength: 25 }), async (steps) => {
      const node = await createLeaseNode();
      try {
        const situation: Situation = { model: { leases: new Map(), lastToken: 0 }, node, leases: await node.open() };
        for (const step of steps) {
          await apply(situation, step);
          const { model } = situation;
          // What is over is collected at the next look, at the latest a second later.
          await situation.leases.expire();
          collect(model, node);
          const expected = [...model.leases].map(([holder, { gpus, token }]) => ({ holder, gpus, token }));
          expect(situation.leases.list().map(({ holder, gpus, token }) => ({ holder, gpus, token }))).toEqual(expected);
          expect(new Set(taken(model)).size).toBe(taken(model).length);
          for (const [index, { use, holder }] of situation.leases.uses()) {
            const owner = expected.find(({ gpus }) => gpus.includes(index))?.holder ?? null;
            expect(holder).toBe(owner);
            expect(use).toBe(owner === null ? "free" : node.alive.has(owner) ? "busy" : "reserved");
          }
        }
      } finally {
        await node.close();
      }
    }),
    { numRuns: 100 },
  );
});
