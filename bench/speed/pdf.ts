/**
 * Speed of the PDF reader: pages per CPU-second over every PDF of a folder, cold (first pass) and warm (second pass), and
 * the peak of resident memory.
 *
 *     node bench/speed/pdf.ts [FOLDER]
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Budget } from "../../apps/parser/src/limits/budget.ts";
import { defaultLimits } from "../../apps/parser/src/limits/default-limits.ts";
import { readSource } from "../../apps/parser/src/reading/read-source.ts";

const [folder = join(import.meta.dirname, "../../../shared/corpus/pmc")] = process.argv.slice(2);
if (!existsSync(folder)) {
  console.error(`Nothing measured: ${folder} is not there.`);
  process.exit(2);
}

const names = readdirSync(folder).filter((name) => name.endsWith(".pdf"));
for (const pass of ["cold", "warm"]) {
  let pageCount = 0;
  const startedAt = process.cpuUsage();
  for (const name of names) pageCount += await countPagesRead(join(folder, name));
  const { user, system } = process.cpuUsage(startedAt);
  const cpuMs = (user + system) / 1000;
  const perSecond = Math.round((pageCount * 1000) / cpuMs);
  console.log(`${pass}: ${pageCount} pages, ${Math.round(cpuMs)} CPU ms, ${perSecond} pages per CPU-second`);
}
console.log(`peak resident memory: ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);

async function countPagesRead(path: string): Promise<number> {
  const input = { bytes: readFileSync(path), fileName: "", format: "pdf" };
  try {
    const { document } = await readSource(
      input,
      { pages: [], headersFooters: "drop", images: "none" },
      new Budget(defaultLimits),
    );
    return document.metadata.pageCount ?? 0;
  } catch {
    return 0;
  }
}
