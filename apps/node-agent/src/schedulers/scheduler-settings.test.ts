import { loadSettings } from "@attune/service-kit/load-config.ts";
import { expect, test } from "vitest";
import { createSchedulers } from "./create-schedulers.ts";
import { schedulerSettings, toSchedulerSettings } from "./scheduler-settings.ts";

const read = (environment: Readonly<Record<string, string>>) =>
  toSchedulerSettings(loadSettings(schedulerSettings, environment, "NODE_AGENT_"));

test("without settings there is no cluster", () => {
  expect(createSchedulers(read({}))).toEqual([]);
});

test("a cluster for each address", () => {
  const settings = read({
    NODE_AGENT_SLURM_URL: "http://slurm:6820/",
    NODE_AGENT_SLURM_TOKEN_COMMAND: " scontrol  token lifespan=60 ",
    NODE_AGENT_RAY_URL: "http://ray:8265",
  });
  expect(createSchedulers(settings).map(({ name }) => name)).toEqual(["slurm", "ray"]);
  expect(settings.slurm).toMatchObject({
    url: "http://slurm:6820",
    tokenCommand: ["scontrol", "token", "lifespan=60"],
  });
  expect(settings.slurm?.user).not.toBe("");
});

test("a token is not shown", () => {
  expect(JSON.stringify(read({ NODE_AGENT_RAY_URL: "http://r", NODE_AGENT_RAY_TOKEN: "hidden" }))).not.toContain(
    "hidden",
  );
});

test.each([{ NODE_AGENT_SLURM_URL: "slurm:6820" }, { NODE_AGENT_SLURM_GPU_RESOURCE: "gpu:1;rm" }])(
  "%j is refused",
  (given) => {
    expect(() => read(given)).toThrow(/fault/);
  },
);
