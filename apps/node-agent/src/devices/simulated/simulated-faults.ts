import { readFileSync } from "node:fs";

/**
 * What is to be wrong, from a file with one line per GPU: its index, and behind it what is wrong in words. No file: nothing.
 * @returns what is wrong by index; a line that cannot be read is passed over.
 */
export function readSimulatedFaults(path: string): ReadonlyMap<number, string> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return new Map(); // tests write it when something is to be wrong
  }
  const lines = text.split("\n").map((line) => /^\s*(\d{1,2})(?:\s+(\S.*?))?\s*$/.exec(line));
  return new Map(
    lines.flatMap((line) =>
      line === null ? [] : [[Number(line[1]), line[2] ?? "It was made to vanish by the simulation."] as const],
    ),
  );
}
