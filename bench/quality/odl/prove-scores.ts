/**
 * `node bench/quality/odl/prove-scores.ts`: our scores of the predictions that opendataloader-bench stores for seven engines
 * beside the scores that it stores for them. Ends with 1 when one of them differs in the third decimal.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { odlMeasures } from "./score-document.ts";
import { compareWithStored, listEngines } from "./stored-evaluation.ts";

const corpus = process.env["CORPUS_DIR"] ?? join(import.meta.dirname, "../../../../shared/corpus");
const bench = join(corpus, "odl-bench");
if (!existsSync(bench)) {
  console.error(`Nothing proven: there is no ${bench}.`);
  process.exit(2);
}
console.log(`| Engine | Documents | ${odlMeasures.join(" | ")} | Differences |`);
console.log(`| --- | --- |${" --- |".repeat(odlMeasures.length + 1)}`);
for (const engine of listEngines(bench)) {
  const { documentCount, means, differences, leftAside } = compareWithStored(bench, engine, () => true);
  const cells = odlMeasures.map((measure) => means[measure].toFixed(3));
  console.log(`| ${engine} | ${documentCount} | ${cells.join(" | ")} | ${differences.length} |`);
  for (const { document = "mean", measure, stored, ours } of differences) {
    console.error(`${engine}, ${document}, ${measure}: stored ${stored}, ours ${ours}`);
  }
  if (leftAside.length > 0) {
    console.error(
      `${engine}: ${leftAside.join(", ")} count in the means alone; their predictions are not those evaluated.`,
    );
  }
  if (differences.length > 0) process.exitCode = 1;
}
