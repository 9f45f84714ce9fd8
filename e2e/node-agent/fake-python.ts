/**
 * Stands for the Python of the trainer: it has every package, and runs workers that speak the protocols and learn nothing. How a
 * job goes is the name of its model's folder: a mode of the fake worker of runs.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const names = ["python", "attune-trainer", "torch", "transformers", "trl", "peft", "accelerate", "datasets"];
const [option, name, runFolder = ""] = process.argv.slice(2);

if (option === "-c") console.log(JSON.stringify(Object.fromEntries(names.map((one) => [one, "1.0"]))));
else if (name === "attune_trainer.serve") await import(join(root, "packages/testkit/src/fake-inference-worker.ts"));
else {
  const spec = JSON.parse(readFileSync(join(runFolder, "spec.json"), "utf8")) as { model: { path: string } };
  const worker = join(root, "apps/node-agent/src/runs/testing/fake-worker.ts");
  process.argv.splice(1, Number.POSITIVE_INFINITY, worker, basename(spec.model.path));
  await import(worker);
}
