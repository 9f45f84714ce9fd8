import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { MetricError } from "../metric-error.ts";
import { cutWords } from "./cut-words.ts";
import { parseJiebaDictionary } from "./jieba-dictionary.ts";

/**
 * Loads jieba's dictionary (about half a second and 100 MB, once a process) and gives a function that cuts texts as the
 * Python package jieba 0.42.1 does. Throws `jieba_unavailable` where the native part of @node-rs/jieba does not run.
 */
export function loadJieba(): Promise<(text: string) => string[]> {
  loading ??= load();
  return loading;
}

let loading: Promise<(text: string) => string[]> | undefined;

async function load(): Promise<(text: string) => string[]> {
  try {
    const { Jieba } = await import("@node-rs/jieba");
    const file = createRequire(import.meta.url).resolve("@node-rs/jieba/dict.txt");
    // jieba 0.42.1 lists this word twice, which counts in the sum of all frequencies; the copy of the file lists it once.
    const dictionary = parseJiebaDictionary(`${await readFile(file, "utf8")}\nB超 3 n\n`);
    // Without a dictionary nothing but its hidden Markov model is left. Its own cut differs where digits meet hyphens.
    const model = new Jieba();
    return (text) => cutWords(text, { dictionary, cutUnknown: (ideographs) => model.cut(ideographs, true) });
  } catch (error) {
    loading = undefined;
    throw new MetricError(
      "jieba_unavailable",
      "The Chinese word segmenter @node-rs/jieba cannot be loaded on this machine. Run npm install again, or leave out the LLaMA-Factory metrics.",
      error,
    );
  }
}
