/**
 * Writes every generated file: `npm run generate`. With --check it writes nothing and fails when one is stale.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { lintConfiguration } from "./architecture/lint-configuration.ts";
import { pythonSchema } from "./python-schema.ts";
import { referencePages } from "./reference/reference-pages.ts";

const root = join(import.meta.dirname, "..");
const isCheck = process.argv.includes("--check");

const files: Readonly<Record<string, string>> = {
  ".oxlintrc.json": `${JSON.stringify(lintConfiguration, null, 2)}\n`,
  ...referencePages(),
  ...(await pythonSchema()),
};

const stale = Object.entries(files).filter(([path, content]) => current(path) !== content);
for (const [path, content] of stale) {
  if (!isCheck) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  console.log(isCheck ? `${path} is stale: run npm run generate` : `wrote ${path}`);
}
process.exitCode = isCheck && stale.length > 0 ? 1 : 0;

function current(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}
