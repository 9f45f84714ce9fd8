import { readFileSync, writeSync } from "node:fs";
import type { FakeSmiState } from "./fake-nvidia-smi.ts";

const [statePath = "", ...args] = process.argv.slice(2);
const readState = (): FakeSmiState => JSON.parse(readFileSync(statePath, "utf8")) as FakeSmiState;
const optionOf = (name: string): string | undefined =>
  args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const say = (lines: readonly string[]): void => {
  if (lines.length > 0) writeSync(1, `${lines.join("\n")}\n`);
};

function endIfFailing({ failure, appsFailure }: FakeSmiState): void {
  const met = failure ?? (optionOf("query-compute-apps") === undefined ? undefined : appsFailure);
  if (met === undefined) return;
  say([met.text]);
  process.exit(met.status);
}

function rowsOf(state: FakeSmiState): readonly string[] {
  if (optionOf("query-compute-apps") !== undefined)
    return (state.apps ?? []).map(([uuid, pid, memory]) => `${uuid}, ${pid}, ${memory}`);
  const fields = (optionOf("query-gpu") ?? "").split(",");
  const unknown = fields.find((field) => state.gpus.some((gpu) => !(field in gpu)) || state.lacks?.includes(field));
  if (unknown !== undefined) {
    say([`Field "${unknown}" is not a valid field to query.`]);
    process.exit(2);
  }
  return [...(state.noise ?? []), ...state.gpus.map((gpu) => fields.map((field) => gpu[field]).join(", "))];
}

function help({ gpus, lacks = [] }: FakeSmiState): readonly string[] {
  const names = Object.keys(gpus[0] ?? {}).filter((name) => !lacks.includes(name));
  return ["List of valid properties to query for the switch", ...names.flatMap((name) => [`"${name}"`, "About it."])];
}

function look(looksBefore: number, everyMs: number): void {
  const state = readState();
  endIfFailing(state);
  if (state.endsAfter !== undefined && looksBefore >= state.endsAfter) process.exit(0);
  if (state.isSilent !== true) say(rowsOf(state));
  setTimeout(() => look(looksBefore + 1, everyMs), everyMs);
}

const state = readState();
endIfFailing(state);
const loop = args.indexOf("-lms");
if (args.includes("--help-query-gpu")) say(help(state));
else if (args.includes("--version")) say(["NVIDIA-SMI version  : 580.65.06", "CUDA Version        : 13.0"]);
else if (loop >= 0) look(0, Number(args[loop + 1]));
else say(rowsOf(state));
