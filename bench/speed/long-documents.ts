import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { labelOf, type Peer } from "../peers/peer.ts";
import { renderTable } from "../report/table.ts";
import { measureFiles } from "./measure-files.ts";
import { measureWorker } from "./measure-worker.ts";
import { joinPdfs, type LongDocument } from "./pdf-pages.ts";

const pageCounts = [150, 300, 600, 1200];

/** Time and memory of documents that grow longer: readers in a process of their own, and a worker of the service. */
export async function renderLongDocuments(articles: readonly string[], readers: readonly Peer[]): Promise<string> {
  const title = "## Long documents";
  // The articles make some 750 pages; beyond, they come again.
  const documents = pageCounts.flatMap((count) => joinPdfs([...articles, ...articles], count) ?? []);
  if (documents.length === 0) return `${title}\n\nNothing measured: pdfunite of poppler is missing.\n`;
  const rows = [await measureInWorker(documents)];
  for (const reader of readers) rows.push(await measureLong(reader, documents));
  for (const { path } of documents) rmSync(dirname(path), { recursive: true });
  const head = ["", ...documents.map(({ pageCount }) => `${pageCount} pages`)];
  return [
    title,
    "",
    "Articles one behind the other in one file: pages per CPU-second with the start of the process, and peak MiB. The worker is",
    "one of the service, started before and counted from there on, which is sent the file part by part; beside it the same code",
    "in a process that has the file in memory.",
    "",
    renderTable(head, rows),
    "",
  ].join("\n");
}

async function measureInWorker(documents: readonly LongDocument[]): Promise<string[]> {
  const cells: string[] = [];
  for (const { path, pageCount } of documents) {
    const { cpuMs, peakMib } = await measureWorker(path);
    cells.push(renderFigures(pageCount, cpuMs, peakMib));
  }
  return ["worker of the service", ...cells];
}

async function measureLong(peer: Peer, documents: readonly LongDocument[]): Promise<string[]> {
  const cells: string[] = [];
  for (const { path, pageCount } of documents) {
    const { coldMs, peakMib, failures } = await measureFiles(peer, [path], false);
    const failure = failures[0]?.split(": ").slice(1).join(": ");
    cells.push(failure === undefined ? renderFigures(pageCount, coldMs, peakMib) : `failed: ${failure}`);
  }
  return [labelOf(peer), ...cells];
}

function renderFigures(pageCount: number, cpuMs: number, peakMib: number): string {
  return `${((pageCount * 1000) / cpuMs).toFixed(0)}, ${peakMib.toFixed(0)} MiB`;
}
