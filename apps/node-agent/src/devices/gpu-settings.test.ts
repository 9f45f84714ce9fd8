import { ConfigError, loadSettings } from "@attune/service-kit/load-config.ts";
import { expect, it } from "vitest";
import { faultsOfGpuSettings, gpuSettings, toGpuSettings } from "./gpu-settings.ts";

const load = (environment: Record<string, string>) => loadSettings(gpuSettings, environment, "NODE_AGENT_GPU_");

it.each([
  [{}, "auto", undefined],
  [{ NODE_AGENT_GPU_SIM: "2xL4-24GB:5" }, "simulated", 2],
  [{ NODE_AGENT_GPU_SOURCE: "simulated" }, "simulated", 4],
  [{ NODE_AGENT_GPU_SOURCE: "none" }, "none", undefined],
])("understands %j", (environment, source, count) => {
  const settings = toGpuSettings(load(environment));
  expect(settings).toMatchObject({ source, intervalMs: 1000 });
  expect(settings.simulation?.gpus.length).toBe(count);
  expect(faultsOfGpuSettings(load(environment))).toEqual([]);
});

it("refuses what it cannot simulate, and a simulation beside another source", () => {
  expect(() => load({ NODE_AGENT_GPU_SIM: "many" })).toThrow(ConfigError);
  expect(() => load({ NODE_AGENT_GPU_SOURCE: "amd" })).toThrow(ConfigError);
  const values = load({ NODE_AGENT_GPU_SOURCE: "nvml", NODE_AGENT_GPU_SIM: "2xL4-24GB" });
  expect(faultsOfGpuSettings(values)).toEqual([expect.stringContaining("while NODE_AGENT_GPU_SOURCE is nvml")]);
});
