import { existsSync, mkdirSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../.work/bench-datasets");
const sentence = '训练数据的每一行都要读到。The quick brown fox jumps over the lazy dog, "quoted", and goes home.\n';

/** A JSONL file of Alpaca of so many rows of about so many bytes; made once and kept. The last row holds `needle`. */
export async function makeRowsFile({ rows, rowBytes }: { readonly rows: number; readonly rowBytes: number }) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `alpaca-${rows}-${rowBytes}.jsonl`);
  if (existsSync(path)) return path;
  const repeats = Math.max(1, Math.floor((rowBytes - 80) / Buffer.byteLength(JSON.stringify(sentence))));
  const file = await open(`${path}.making`, "w");
  for (let row = 1; row <= rows;) {
    const lines: string[] = [];
    for (; lines.length < 2000 && row <= rows; row++) {
      const output = `${sentence.repeat(repeats)}${row === rows ? " needle" : ""}`;
      lines.push(`${JSON.stringify({ instruction: `Question ${row}?`, input: "", output })}\n`);
    }
    await file.write(lines.join(""));
  }
  await file.close();
  await rename(`${path}.making`, path);
  return path;
}
