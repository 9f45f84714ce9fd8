import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeSmiGpu, makeFakeNvidiaSmi } from "@attune/testkit/fake-nvidia-smi.ts";
import { isAlive, until } from "@attune/testkit/processes.ts";
import { expect, it } from "vitest";

/** Processes whose command has this text. */
function findProcesses(text: string): readonly number[] {
  const hasText = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false; // it ended meanwhile
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && hasText(name))
    .map(Number)
    .filter(isAlive);
}

it("leaves no nvidia-smi when the agent is killed with SIGKILL, also none that writes nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "attune-smi-orphans-"));
  // Without processes on GPUs the second one never writes, so that a broken pipe does not end it.
  const { program } = await makeFakeNvidiaSmi(folder, { gpus: [fakeSmiGpu(0)], apps: [] });
  const agent = spawn(process.execPath, [join(import.meta.dirname, "follow-gpus.fixture.ts"), program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const children = () => findProcesses(join(folder, "nvidia-smi.json"));
  try {
    await once(agent.stdout, "data");
    await until(() => children().length === 2, 10_000, "both programs");
    agent.kill("SIGKILL");
    await until(() => children().length === 0, 10_000, `the end of ${children().join()}`);
    expect(children()).toEqual([]);
  } finally {
    agent.kill("SIGKILL");
    for (const pid of children()) process.kill(pid, "SIGKILL");
    await rm(folder, { recursive: true });
  }
});
