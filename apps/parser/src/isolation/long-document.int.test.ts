import { makePdf, pdfText } from "@attune/testkit/make-pdf.ts";
import { expect, it } from "vitest";
import { createWorkerPool } from "./create-worker-pool.ts";
import { plainOptions } from "./testing/parse-options.ts";
import { findDescendants, noSignal, readProcessFile } from "./testing/pool-harness.ts";

const mib = 1 << 20;
const isLinux = process.platform === "linux";
if (!isLinux) console.log("Skipped: memory of a process is read from /proc, which only Linux has.");

it.skipIf(!isLinux)(
  "a long PDF takes a worker far less memory than the file has bytes",
  { timeout: 120_000 },
  async () => {
    const ballast = `%${"x".repeat(mib)}\n`;
    const contents = Array.from({ length: 240 }, (_, index) => ballast + pdfText(`Page ${index}.`, { x: 72, y: 700 }));
    const bytes = makePdf({ pages: contents.map((content) => ({ content })) });
    const pool = await createWorkerPool({ workers: 1, recycleAboveMib: 65_536 }, { level: "none" });
    try {
      const read = async (file: Uint8Array) => {
        const { content } = await pool.read({ bytes: file, fileName: "", format: "pdf" }, plainOptions, noSignal);
        return Buffer.from(content).toString();
      };
      await read(makePdf({ pages: [{ content: pdfText("Short.", { x: 72, y: 700 }) }] }));
      const before = mostResidentMib();
      const text = await read(bytes);
      expect(text.match(/Page \d+\./g)?.length).toBe(240);
      expect(mostResidentMib() - before).toBeLessThan(bytes.length / mib / 2);
    } finally {
      await pool.close();
    }
  },
);

function mostResidentMib(): number {
  const isWorker = (pid: number) => readProcessFile(pid, "cmdline").includes("isolation/worker.ts");
  const worker = findDescendants(process.pid).find(isWorker) ?? 0;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readProcessFile(worker, "status"))?.[1]) / 1024;
}
