import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { peersFolder } from "../../peers/peers.ts";
import { jatsToMarkdown } from "./jats-to-markdown.ts";

/** A PDF whose content is known from elsewhere. */
export interface TrueDocument {
  readonly path: string;
  readonly truth: string;
}

export interface TruthSet {
  readonly name: string;
  readonly documents: readonly TrueDocument[];
  /** Why there is nothing in it. */
  readonly missing?: string;
}

/** Articles with what their XML says. */
export function articleTruths(folder: string): TruthSet {
  const documents = globSync(join(folder, "*.pdf"))
    .toSorted()
    .map((path) => ({ path, truth: jatsToMarkdown(readFileSync(path.replace(/pdf$/, "xml"), "utf8")) }));
  return { name: "articles, every twelfth", documents };
}

/** Word and OpenDocument files with a truth beside them, printed to PDF by LibreOffice; the PDFs are kept by their bytes. */
export function printedTruths(corpus: string): TruthSet {
  const name = "office files printed to PDF";
  if (spawnSync("soffice", ["--version"]).error !== undefined) {
    return { name, documents: [], missing: "there is no LibreOffice on this machine" };
  }
  const sources = globSync(join(corpus, "office/{docx,odt}/*.{docx,odt}")).toSorted();
  const documents = sources.flatMap((source) => {
    const truth = `${source}.groundtruth.md`;
    if (!existsSync(truth)) return [];
    const path = printToPdf(source);
    return path === undefined ? [] : [{ path, truth: readFileSync(truth, "utf8") }];
  });
  return { name, documents };
}

function printToPdf(source: string): string | undefined {
  const hash = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 12);
  const folder = join(peersFolder, "printed");
  const kept = join(folder, `${basename(source)}-${hash}.pdf`);
  if (existsSync(kept)) return kept;
  mkdirSync(folder, { recursive: true });
  const profile = `-env:UserInstallation=file://${join(peersFolder, "soffice-profile")}`;
  const args = [profile, "--headless", "--convert-to", "pdf", "--outdir", folder, source];
  spawnSync("soffice", args, { timeout: 120_000 });
  const made = join(folder, basename(source).replace(/\.[^.]+$/, ".pdf"));
  if (!existsSync(made)) return undefined;
  renameSync(made, kept);
  return kept;
}
