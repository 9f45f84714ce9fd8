import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, until } from "@attune/testkit/processes.ts";
import type { SupervisorMessage } from "@attune/service-kit/supervisor-messages.ts";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { supervise } from "./supervise.ts";
import type { ServiceDefinition } from "./supervised-service.ts";

// What takes a second takes many where other work fills the machine.
vi.setConfig({ testTimeout: 300_000 });

const kit = join(import.meta.dirname, "../../../../packages/service-kit/src");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "supervise-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** A stand-in for a service: tells its process id, and that it is ready, and then does what `body` says. */
function standIn(name: string, body: string, drainTimeoutMs = 20_000): ServiceDefinition {
  const file = join(folder, `${name}.ts`);
  writeFileSync(
    file,
    `import { exitWithParent } from ${JSON.stringify(join(kit, "exit-with-parent.ts"))};
     import { tellSupervisor } from ${JSON.stringify(join(kit, "supervisor-messages.ts"))};
     exitWithParent(async () => {});
     console.log("pid", process.pid);
     const ready = () => tellSupervisor({ type: "ready", url: "test://${name}" });
     setInterval(() => {}, 1000);
     ${body}`,
  );
  return { name, arguments: [file], environment: {}, drainTimeoutMs };
}

function run(...definitions: readonly ServiceDefinition[]) {
  const lines: string[] = [];
  const messages: SupervisorMessage[] = [];
  const supervisor = supervise(definitions, {
    write: (line) => lines.push(line),
    onMessage: (_, message) => messages.push(message),
  });
  onTestFinished(() => supervisor.stop());
  const pids = (): readonly number[] => lines.flatMap((line) => /\] pid (\d+)$/.exec(line)?.[1] ?? []).map(Number);
  return { supervisor, lines, messages, pids };
}

test("services are ready when all have said so, and their lines carry their names", async () => {
  const { supervisor, lines } = run(standIn("one", "ready();"), standIn("two", "console.error('a fault'); ready();"));

  expect(Object.fromEntries(await supervisor.ready)).toEqual({ one: "test://one", two: "test://two" });
  await until(() => lines.includes("[two] a fault"), 120_000, "the line has come");
});

test("a service that is killed is started again, later each time it fails at once", async () => {
  const { supervisor, lines, pids } = run(standIn("victim", "ready();"), standIn("other", "ready();"));
  await supervisor.ready;
  await until(() => pids().length === 2, 120_000, "both have told their number");
  for (const [round, delayMs] of [250, 500].entries()) {
    const pid = lines.findLast((line) => line.startsWith("[victim] pid"))?.split(" ")[2];
    process.kill(Number(pid), "SIGKILL");
    const told = `[victim] ended with SIGKILL; it is started again in ${delayMs} ms`;
    await until(() => lines.includes(told), 120_000, "the end is told");
    await until(() => pids().length > 2 + round, 120_000, "it runs again");
  }
  expect(lines.filter((line) => line.startsWith("[other] pid"))).toHaveLength(1);
});

test("a service that refuses its configuration at the start is not tried again", async () => {
  const { supervisor, lines } = run(standIn("refuser", "console.error('PORT: no'); process.exit(2);"));
  await expect(supervisor.ready).rejects.toThrow("refuser does not start as it is configured: see its lines above.");
  expect(lines.filter((line) => line.includes("pid"))).toHaveLength(1);
});

test("stopping waits for services to drain, and kills one that takes too long", async () => {
  const polite = "process.on('SIGTERM', () => setTimeout(() => { console.log('drained'); process.exit(0); }, 300));";
  const { supervisor, lines, pids } = run(
    standIn("polite", `${polite} ready();`),
    standIn("deaf", "process.on('SIGTERM', () => {}); ready();", 500),
  );
  await supervisor.ready;
  await until(() => pids().length === 2, 120_000, "both have told their number");

  await supervisor.stop();

  expect(lines).toContain("[polite] drained");
  expect(lines).toContain("[deaf] did not end in 500 ms: killed");
  expect(pids().some(isAlive)).toBe(false);
});

test("a service that waits to be started again is not started once all is stopped", async () => {
  const { supervisor, lines } = run(standIn("failing", "process.exit(1);"));
  await until(() => lines.some((line) => line.includes("started again in")), 120_000, "it failed");
  await supervisor.stop();
  const told = lines.length;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(lines.slice(told)).toEqual([]);
});

test("what a service says only once reaches whoever started it", async () => {
  const admin = `import("node:process").then(() => process.send({ type: "first-admin", email: "a@b.c", password: "p" })); process.send({ odd: 1 });`;
  const { messages } = run(standIn("admin", admin));
  await until(() => messages.length === 1, 120_000, "the message has come");
  expect(messages).toEqual([{ type: "first-admin", email: "a@b.c", password: "p" }]);
});
