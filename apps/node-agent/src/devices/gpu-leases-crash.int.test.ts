import { spawn } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLeaseNode, explicit, type LeaseNode } from "./lease-node.fixture.ts";
import { readLeaseFile, writeLeaseFile } from "./lease-file.ts";

const program = join(import.meta.dirname, "acquire-and-die.fixture.ts");

let node: LeaseNode;
beforeEach(async () => {
  node = await createLeaseNode();
});
afterEach(() => node.close());

interface Told {
  readonly token: number;
  readonly steps: number;
}

/** @returns what the process said of the lease; undefined when it was killed before. */
async function acquireAndDie(step: number): Promise<Told | undefined> {
  const child = spawn(process.execPath, [program, node.path, String(step)], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const signal = await new Promise((resolve) => child.once("close", (_, name) => resolve(name)));
  expect(signal).toBe(output === "" ? "SIGKILL" : null);
  return output === "" ? undefined : (JSON.parse(output) as Told);
}

// Seventeen processes, one after the other.
const crashTimeoutMs = 180_000;

it(
  "leaves the old leases or the new ones, whichever step of writing the agent is killed at",
  { timeout: crashTimeoutMs },
  async () => {
    const lease = {
      leaseId: "a",
      holder: "job:old",
      gpus: [0],
      token: 7,
      acquiredAtMs: 1,
      expiresAtMs: 2,
      isReleased: false,
    };
    const found: string[] = [];
    let told: Told | undefined;
    // The start of the agent writes too: as many steps as an acquisition.
    for (let step = 1; told === undefined; step += 1) {
      await writeLeaseFile(node.path, { lastToken: 7, leases: [lease] });
      told = await acquireAndDie(step);
      const read = await readLeaseFile(node.path);
      if (read.kind !== "state") throw new Error(`step ${step}: ${read.kind}`);
      found.push(read.state.leases.map(({ holder, gpus }) => `${holder} ${gpus.join()}`).join("; "));
      // What was being written is gone, and nothing else is there.
      expect(await readdir(node.folder)).toEqual(["leases.json"]);
    }
    expect(told.steps).toBe(8);
    expect(new Set(found)).toEqual(new Set(["job:old 0", "job:old 0; job:new 1"]));
    // Once the new state is there it stays, and the one that was told of it has it.
    expect(found.lastIndexOf("job:old 0")).toBeLessThan(found.indexOf("job:old 0; job:new 1"));
    expect(found.length).toBe(2 * told.steps + 1);
  },
);

it("goes on after a start that was killed, with what the dead one left", async () => {
  await writeFile(`${node.path}.0a1b2c3d.part`, '{"version":1,"last_tok');
  const leases = await node.open();
  expect((await leases.acquire("job:a", explicit(0)))?.gpus).toEqual([0]);
  expect(await readdir(node.folder)).toEqual(["leases.json"]);
});
