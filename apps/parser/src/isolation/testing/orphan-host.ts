/**
 * A service for tests, to be killed without warning: workers at the level of its first argument, each busy for ever, and a
 * command that has started another program. Says `busy` when all of it runs.
 */
import { createRunCommand } from "../../process/run-command.ts";
import { createGroupGuard } from "../../process/group-guard.ts";
import type { IsolationLevel } from "../../process/sandbox.ts";
import { noSignal, startHarness, until } from "./pool-harness.ts";

const { pool, act } = await startHarness(process.argv[2] as IsolationLevel, { workers: 2 });
const runCommand = createRunCommand({ guard: createGroupGuard() });
const forever = [
  act("loop"),
  act("loop"),
  runCommand({ file: "sh", args: ["-c", "sleep 300 & sleep 300"], timeoutMs: 300_000, maxOutputBytes: 100 }, noSignal),
];
await until(() => pool.stats().busy === 2, 10_000);
process.stdout.write("busy\n");
await Promise.all(forever);
