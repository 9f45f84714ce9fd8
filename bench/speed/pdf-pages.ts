import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Pages of a PDF, by poppler; 0 for a file that it cannot open. */
export function countPages(path: string): number {
  const { stdout } = spawnSync("pdfinfo", [path], { encoding: "utf8" });
  return Number(/^Pages:\s+(\d+)/m.exec(stdout)?.[1] ?? 0);
}

export interface LongDocument {
  readonly path: string;
  readonly pageCount: number;
}

/** The files one behind the other, as few as make so many pages; undefined where poppler cannot join them. */
export function joinPdfs(paths: readonly string[], minPageCount: number): LongDocument | undefined {
  const path = join(mkdtempSync(join(tmpdir(), "long-pdf-")), "long.pdf");
  const chosen: string[] = [];
  let pageCount = 0;
  for (const one of paths) {
    if (pageCount >= minPageCount) break;
    chosen.push(one);
    pageCount += countPages(one);
  }
  const { status } = spawnSync("pdfunite", [...chosen, path]);
  return status === 0 && pageCount >= minPageCount ? { path, pageCount: countPages(path) } : undefined;
}

/** One page of a file as a file of its own. */
export function cutPage(path: string, page: number, out: string): boolean {
  return spawnSync("pdfseparate", ["-f", String(page), "-l", String(page), path, out]).status === 0;
}
