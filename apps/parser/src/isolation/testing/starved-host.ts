/**
 * A service for tests that runs out of file descriptors, loses its worker and a command meanwhile, and then has descriptors
 * again. Prints what its callers were told.
 */
import { closeSync, openSync } from "node:fs";
import { createRunCommand } from "../../process/run-command.ts";
import { noSignal, reasonOf, startHarness, until } from "./pool-harness.ts";

const { pool, act } = await startHarness("none", { workers: 1 });
await act("echo=warm");
const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // Now there are none left.
}
const lost = await reasonOf(act("exit=1"));
const refused = await reasonOf(act("echo=1"));
const command = { file: "/bin/true", args: [], timeoutMs: 1000, maxOutputBytes: 10 };
const commandRefused = await reasonOf(createRunCommand()(command, noSignal));
for (const descriptor of taken) closeSync(descriptor);
await until(() => pool.stats().ready === 1, 10_000);
const recovered = await act("echo=recovered");
await pool.close();
process.stdout.write(JSON.stringify({ lost, refused, commandRefused, recovered }));
