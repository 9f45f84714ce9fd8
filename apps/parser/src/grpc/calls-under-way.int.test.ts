import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDocparserClient } from "@attune/testkit/docparser-client.ts";
import { until } from "@attune/testkit/processes.ts";
import { type StartedDocparser, startDocparser } from "@attune/testkit/start-docparser.ts";
import { expect, test } from "vitest";

/** A page that takes a worker about 0.4 ms of CPU for each row. */
function writeTable({ folder }: StartedDocparser, rows: number): string {
  const row = `<tr>${"<td>a <b>cell</b> of <i>text</i></td>".repeat(20)}</tr>`;
  writeFileSync(join(folder, "table.html"), `<table>${row.repeat(rows)}</table>`);
  return `file://${folder}/table.html`;
}

interface LogLine {
  readonly request_id?: string;
  readonly reason?: string;
  readonly inside?: number;
  readonly duration_ms?: number;
}

function linesOf(service: StartedDocparser): readonly LogLine[] {
  return service
    .log()
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as LogLine);
}

test("a deadline stops the work on the document, and the only worker is free for the next", async () => {
  await using service = await startDocparser({ PARSER_WORKERS: "1" });
  const client = createDocparserClient(service.address);
  await client.parse({ file_url: "data:,warm" });
  const slow = { file_url: writeTable(service, 24_000) };

  const call = client.parse(slow, { deadlineMs: 500, metadata: { "x-request-id": "slow" } });
  await expect(call).rejects.toMatchObject({ code: 4 });
  const isLogged = (): boolean => linesOf(service).some(({ request_id }) => request_id === "slow");
  await until(isLogged, 2000, "the service has ended the call");

  expect(linesOf(service)).toContainEqual(
    expect.objectContaining({ request_id: "slow", reason: "CALL_DEADLINE_EXCEEDED" }),
  );
  const next = client.parse({ file_url: "data:,next" }, { deadlineMs: 5000 });
  await expect(next).resolves.toMatchObject({ success: true });
  client.close();
});

test("calls under way are answered while the service drains, new ones are turned away", async () => {
  const service = await startDocparser({ PARSER_WORKERS: "1" });
  const client = createDocparserClient(service.address);
  await client.parse({ file_url: "data:,warm" });
  const order: string[] = [];

  const underWay = client.parse({ file_url: writeTable(service, 4000) }).finally(() => order.push("answered"));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const stopped = service[Symbol.asyncDispose]();
  const isStopping = (): boolean => linesOf(service).some(({ inside }) => inside === 1);
  await until(isStopping, 2000, "the service stops with one call inside");
  const turnedAway = client.parse({ file_url: "data:,new" }).finally(() => order.push("turned away"));

  await expect(turnedAway).rejects.toMatchObject({ code: 14 });
  await expect(underWay).resolves.toMatchObject({ success: true });
  expect(order).toEqual(["turned away", "answered"]);
  await stopped;
  expect(await service.ended).toBe(0);
  client.close();
});
