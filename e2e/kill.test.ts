import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDocparserClient } from "@attune/testkit/docparser-client.ts";
import { cpuSecondsOf, descendantsOf, isAlive, until } from "@attune/testkit/processes.ts";
import { type StartedDocparser, startDocparser } from "@attune/testkit/start-docparser.ts";
import { expect, test } from "vitest";

const hasProc = existsSync("/proc/self/stat");
if (!hasProc) console.log("Tests that kill processes need /proc and are skipped.");

/** A file that takes a worker some seconds. */
function writeSlowFile({ folder }: StartedDocparser): string {
  const path = join(folder, "slow.html");
  const row = `<tr>${"<td>a <b>cell</b> of <i>text</i></td>".repeat(20)}</tr>`;
  writeFileSync(path, `<table>${row.repeat(8_000)}</table>`);
  return `file://${path}`;
}

/** The process that is busy with the document. */
async function busyWorker(service: StartedDocparser, before: ReadonlyMap<number, number>): Promise<number> {
  let busy: number | undefined;
  const isFound = (): boolean => {
    busy = descendantsOf(service.pid).find((pid) => cpuSecondsOf(pid) - (before.get(pid) ?? 0) > 0.2);
    return busy !== undefined;
  };
  await until(isFound, 15_000, "a worker is busy");
  return busy ?? 0;
}

function cpuByProcess(service: StartedDocparser): ReadonlyMap<number, number> {
  return new Map(descendantsOf(service.pid).map((pid) => [pid, cpuSecondsOf(pid)]));
}

test.skipIf(!hasProc)(
  "kill -9 of a worker in a parse: the call is answered all the same, and nothing else notices",
  async () => {
    await using service = await startDocparser({ PARSER_WORKERS: "2" });
    const client = createDocparserClient(service.address);
    const slow = writeSlowFile(service);
    await client.parse({ file_url: "data:,warm" });

    const before = cpuByProcess(service);
    const hit = client.parse({ file_url: slow });
    const worker = await busyWorker(service, before);
    process.kill(worker, "SIGKILL");
    const other = await client.parse({ file_url: "data:,other" });

    expect(other).toMatchObject({ success: true, content: "other\n" });
    const answer = await hit;
    expect(answer).toMatchObject({ success: true, message: "" });
    expect(await client.parse({ file_url: "data:,after" })).toMatchObject({ success: true });
    client.close();
  },
);

test.skipIf(!hasProc).each([
  ["cancels", (signal: AbortSignal) => ({ signal }), 1],
  ["has a deadline that passes", () => ({ deadlineMs: 1200 }), 4],
])("a client that %s frees the worker at once", async (_name, settings, code) => {
  await using service = await startDocparser({ PARSER_WORKERS: "1" });
  const client = createDocparserClient(service.address);
  const slow = writeSlowFile(service);
  await client.parse({ file_url: "data:,warm" });
  const before = cpuByProcess(service);
  const controller = new AbortController();

  const call = client.parse({ file_url: slow }, settings(controller.signal)).catch((error: unknown) => error);
  const worker = await busyWorker(service, before);
  controller.abort();

  expect(await call).toMatchObject({ code });
  await until(() => !isAlive(worker), 1000, "the worker is gone");
  expect(await client.parse({ file_url: "data:,next" }, { deadlineMs: 5000 })).toMatchObject({ success: true });
  client.close();
});

test.skipIf(!hasProc)("kill -9 of the service in a parse leaves no process behind", async () => {
  await using service = await startDocparser({ PARSER_WORKERS: "2" });
  const client = createDocparserClient(service.address);
  await client.parse({ file_url: "data:,warm" });
  const before = cpuByProcess(service);
  const call = client.parse({ file_url: writeSlowFile(service) }).catch((error: unknown) => error);
  await busyWorker(service, before);
  const family = descendantsOf(service.pid);

  process.kill(service.pid, "SIGKILL");

  expect(await call).toMatchObject({ code: 14 });
  expect(family.length).toBeGreaterThan(1);
  await until(() => !family.some(isAlive), 2000, "every process of the service is gone");
  client.close();
});

test.skipIf(!hasProc)("SIGTERM ends the service with status 0 and leaves no process behind", async () => {
  const service = await startDocparser();
  const client = createDocparserClient(service.address);
  await client.parse({ file_url: "data:,warm" });
  const family = descendantsOf(service.pid);
  client.close();

  await service[Symbol.asyncDispose]();

  expect(await service.ended).toBe(0);
  await until(() => !family.some(isAlive), 2000, "every process of the service is gone");
});
