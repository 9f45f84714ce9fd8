import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { trainerSources } from "./find-trainer-python.ts";

/** What the library itself generates for a question, greedily. */
export interface WholeAnswer {
  readonly text: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

export interface TaughtModels {
  /** Folder of a model: base, adapter, other, other-adapter, no-template, not-a-number. */
  readonly path: (name: string) => string;
  readonly base: Readonly<Record<string, WholeAnswer>>;
  readonly adapter: Readonly<Record<string, WholeAnswer>>;
}

export const questions = {
  capital: "What is the capital of France?",
  chinese: "模型拒绝了什么？",
  marks: "Say it.",
} as const;

const work = join(import.meta.dirname, "../../.work");
const makers = ["taught_model.py", "tiny_model.py"].map((name) => join(trainerSources, "attune_trainer/testing", name));

/** Tiny models that know answers by heart; made once, in some ten seconds, and kept until their makers change. */
export async function makeTaughtModels(python: string): Promise<TaughtModels> {
  const hash = createHash("sha256");
  for (const maker of makers) hash.update(readFileSync(maker));
  const folder = join(work, `taught-models-${hash.digest("hex").slice(0, 12)}`);
  if (!existsSync(folder)) await make(python, folder);
  const whole = JSON.parse(readFileSync(join(folder, "whole.json"), "utf8")) as Omit<TaughtModels, "path">;
  return { ...whole, path: (name) => join(folder, name) };
}

async function make(python: string, folder: string): Promise<void> {
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(work, { recursive: true });
  const env = { ...process.env, PYTHONPATH: trainerSources, OMP_NUM_THREADS: "1", HF_HUB_OFFLINE: "1" };
  await promisify(execFile)(python, ["-m", "attune_trainer.testing.taught_model", draft], { env });
  // Another test may have been faster.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
}
