import { existsSync, mkdirSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../.work/bench-datasets");
const sentence = '训练数据的每一行都要读到。The quick brown fox jumps over the lazy dog, "quoted", and goes home.\n';

/** A JSONL file of Alpaca of so many rows of so many bytes each; made once and kept. The last row holds `needle`. */
export async function makeRowsFile({ rows, rowBytes }: { readonly rows: number; readonly rowBytes: number }) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `alpaca-${rows}-${rowBytes}.jsonl`);
  if (existsSync(path)) return path;
  const file = await open(`${path}.making`, "w");
  for (let row = 1; row <= rows;) {
    const lines: string[] = [];
    for (; lines.length < 2000 && row <= rows; row++) {
      lines.push(makeRow(row, { rowBytes, end: row === rows ? " needle" : "" }));
    }
    await file.write(lines.join(""));
  }
  await file.close();
  await rename(`${path}.making`, path);
  return path;
}

function makeRow(row: number, { rowBytes, end }: { readonly rowBytes: number; readonly end: string }): string {
  const render = (output: string): string =>
    `${JSON.stringify({ instruction: `Question ${row}?`, input: "", output: output + end })}\n`;
  const roomBytes = rowBytes - Buffer.byteLength(render(""));
  const text = sentence.repeat(Math.max(1, Math.floor(roomBytes / Buffer.byteLength(JSON.stringify(sentence)))));
  const missing = rowBytes - Buffer.byteLength(render(text));
  return render(text + ".".repeat(Math.max(0, missing)));
}
