import { expect, test } from "vitest";
import { workerEnvironment } from "./worker-environment.ts";

test("of the agent's environment only what a worker needs, no GPU unless it was given one, its own above all", () => {
  const environment = {
    PATH: "/bin",
    HF_TOKEN: "secret",
    NODE_AGENT_TOKEN: "secret",
    NODE_OPTIONS: "--inspect",
    LANG: undefined,
  };
  const made = workerEnvironment({ environment, visibleGpus: [], own: { ATTUNE_RUN_ID: "r", WANDB_MODE: "offline" } });
  expect(made).toMatchObject({ PATH: "/bin", CUDA_VISIBLE_DEVICES: "", ATTUNE_RUN_ID: "r", WANDB_MODE: "offline" });
  expect(Object.values(made).join(" ")).not.toContain("secret");
  expect(made).not.toHaveProperty("NODE_OPTIONS");
  expect(made).not.toHaveProperty("LANG");
});

test("GPUs by the names that the driver gives them", () => {
  const made = workerEnvironment({ environment: {}, visibleGpus: ["GPU-1", "GPU-2"], own: {} });
  expect(made["CUDA_VISIBLE_DEVICES"]).toBe("GPU-1,GPU-2");
});
