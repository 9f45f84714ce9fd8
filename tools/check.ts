/** `npm run check`: everything that can be judged without running the product. Runs all steps and names those that failed. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const bin = (name: string): string => join(root, "node_modules/.bin", name);

const steps: readonly (readonly [name: string, file: string, args: readonly string[]])[] = [
  ["generated files are up to date", process.execPath, [join(root, "tools/generate.ts"), "--check"]],
  ["types", bin("tsc"), ["-p", "."]],
  ["types of the web app", bin("tsc"), ["-p", "apps/web"]],
  ["lint and boundaries", bin("oxlint"), ["--type-aware", "--quiet"]],
  ["format", bin("oxfmt"), ["--check"]],
  ["unused code, undeclared dependencies", bin("knip"), []],
  ["boundaries are really checked", bin("vitest"), ["run", "tools/architecture"]],
];

const failed = steps.filter(([name, file, args]) => {
  const startedAtMs = performance.now();
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: root, encoding: "utf8" });
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  console.log(`${status === 0 ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
  if (status !== 0) console.log(`${stdout}${stderr}`);
  return status !== 0;
});
process.exitCode = failed.length === 0 ? 0 : 1;
