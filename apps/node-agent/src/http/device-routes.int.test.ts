import { gpuListView, type GpuListView } from "@attune/contracts/compute/device-api.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createNoDevices } from "../devices/create-no-devices.ts";
import type { GpuListSources } from "../devices/to-gpu-list.ts";
import { anyOf, createLeaseNode, explicit, type LeaseNode } from "../devices/lease-node.fixture.ts";
import { deviceRoutes } from "./device-routes.ts";
import { serveRoutes } from "./serve-routes.fixture.ts";

let node: LeaseNode;
beforeEach(async () => {
  node = await createLeaseNode();
});
afterEach(() => node.close());

async function ask(sources: GpuListSources): Promise<GpuListView> {
  await using served = await serveRoutes(deviceRoutes(sources));
  const response = await fetch(`${served.url}/compute/gpus`);
  expect(response.status).toBe(200);
  return gpuListView.parse(await response.json());
}

const named = (latest: GpuListSources["devices"]["latest"]) => ({ name: "fake", isSimulated: true, latest });

it("tells figures, uses, holders and processes, and null for what is unknown", async () => {
  const leases = await node.open();
  await leases.acquire("job:a", explicit(0));
  await leases.acquire("inference:b", anyOf(1));
  node.alive.add("job:a");
  node.owners.set(71, "job:a");
  node.devices.set(0, {
    processes: [
      { pid: 71, memoryMb: 900 },
      { pid: 72, memoryMb: null },
    ],
    powerW: null,
  });
  node.devices.set(2, { processes: [{ pid: 73, memoryMb: 4000 }] });
  node.devices.set(3, { fault: "GPU is lost", memoryUsedMb: null });
  const list = await ask({
    devices: named(() => node.devices.latest()),
    leases,
    holderOf: (pid) => node.owners.get(pid),
  });
  expect(list).toMatchObject({
    source: "fake",
    is_simulated: true,
    driver: "580.1",
    cuda: "13.0",
    fault: null,
    note: null,
  });
  expect(list.sample_age_ms).not.toBeNull();
  expect(list.gpus.map(({ index, status, holder }) => [index, status, holder])).toEqual([
    [0, "busy", "job:a"],
    [1, "reserved", "inference:b"],
    [2, "foreign", null],
    [3, "faulty", null],
  ]);
  expect(list.gpus[0]).toMatchObject({
    id: "GPU-00000000-0000-0000-0000-000000000000",
    memory_total_mb: 81_559,
    power_w: null,
    fan_percent: null,
    power_limit_w: 700,
    is_simulated: true,
    processes: [
      { pid: 71, memory_mb: 900, holder: "job:a" },
      { pid: 72, memory_mb: null, holder: null },
    ],
  });
  expect(list.gpus[3]).toMatchObject({ fault: "GPU is lost", memory_used_mb: null });
});

it("keeps a GPU in the list that somebody has and the driver does not list", async () => {
  node.alive.add("job:a");
  node.claims = [{ holder: "job:a", gpus: [6] }];
  const leases = await node.open();
  const { gpus } = await ask({ devices: named(() => node.devices.latest()), leases, holderOf: () => undefined });
  expect(gpus).toHaveLength(5);
  expect(gpus[4]).toMatchObject({ index: 6, status: "faulty", holder: "job:a", memory_total_mb: null });
});

it("tells why there are no GPUs, and what is wrong when they cannot be seen", async () => {
  const none = createNoDevices("This machine has no NVIDIA driver.");
  const uses = () => new Map();
  const nothing = await ask({ devices: none, leases: { uses }, holderOf: () => undefined });
  expect(nothing).toMatchObject({ gpus: [], fault: null, note: "This machine has no NVIDIA driver." });
  const sample = { ...none.latest(), takenAtMs: 0, fault: "The driver is not loaded.", note: null };
  const failed = await ask({ devices: named(() => sample), leases: { uses }, holderOf: () => undefined });
  expect(failed).toMatchObject({ gpus: [], sampled_at: null, sample_age_ms: null, fault: "The driver is not loaded." });
});
