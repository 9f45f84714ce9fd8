/** A job as Slurm tells it, in one form for all versions of its API. */
export interface SlurmJob {
  readonly id: string;
  readonly comment: string;
  /** The first is its state, such as RUNNING; others qualify it, such as COMPLETING. */
  readonly states: readonly string[];
  /** Such as Priority or NonZeroExitCode; empty when there is none. */
  readonly reason: string;
  readonly reasonDetail: string;
  readonly nodes: readonly string[];
  readonly gpus: readonly number[];
  readonly exitCode: number | null;
  readonly signal: number | null;
  /** How often Slurm put it into the queue again. */
  readonly restarts: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** The jobs of an answer; what is no job is left out. */
export function readSlurmJobs(json: unknown): readonly SlurmJob[] {
  const { jobs } = fieldsOf(json);
  return Array.isArray(jobs) ? jobs.map(fieldsOf).filter(hasId).map(readSlurmJob) : [];
}

const hasId = ({ job_id: id }: Fields): boolean => numberOf(id) !== undefined;

function readSlurmJob(job: Fields): SlurmJob {
  const nodes = expandHosts(textOf(job["nodes"]));
  const isPlaced = nodes.length > 0;
  return {
    id: String(numberOf(job["job_id"])),
    comment: textOf(job["comment"]),
    states: statesOf(job["job_state"]),
    reason: textOf(job["state_reason"]).replace(/^None$/, ""),
    reasonDetail: textOf(job["state_description"]),
    nodes,
    gpus: isPlaced ? gpusOf(job["gres_detail"]) : [],
    ...exitOf(job["exit_code"]),
    restarts: numberOf(job["restart_cnt"]) ?? 0,
  };
}

/** "RUNNING" until v0.0.39, ["CANCELLED", "COMPLETING"] since. */
function statesOf(value: unknown): readonly string[] {
  const words = Array.isArray(value) ? value.map(String) : textOf(value).split(/[+,\s]+/);
  return words.filter((word) => word !== "").map((word) => word.toUpperCase());
}

/** A status of wait(2) until v0.0.38; an object since, whose numbers may be objects, too. */
function exitOf(value: unknown): Pick<SlurmJob, "exitCode" | "signal"> {
  const whole = typeof value === "number" ? value : undefined;
  if (whole !== undefined) return { exitCode: (whole >> 8) & 0xff, signal: whole & 0x7f || null };
  const exit = fieldsOf(value);
  const signal = fieldsOf(exit["signal"]);
  return {
    exitCode: numberOf(exit["return_code"]) ?? null,
    signal: numberOf(signal["id"]) ?? numberOf(signal["signal_id"]) ?? null,
  };
}

/** `gpu:2(IDX:0-1)` or `gpu:a100:3(IDX:0,2-3)` of the first machine. */
function gpusOf(value: unknown): readonly number[] {
  const first = Array.isArray(value) ? textOf(value[0]) : "";
  const ranges = /gpu[^(]*\(IDX:([\d,-]+)\)/.exec(first)?.[1];
  return ranges === undefined ? [] : ranges.split(",").flatMap(expandRange).map(Number);
}

const maxHosts = 4096;

/** `gpu[01-03,7],login` → gpu01 gpu02 gpu03 gpu7 login. What is not of this form stays as it is. */
export function expandHosts(text: string): readonly string[] {
  const parts = text.match(/[^,[\]]*\[[^\]]*\][^,]*|[^,]+/g) ?? [];
  return parts.flatMap(expandHost).slice(0, maxHosts);
}

function expandHost(part: string): readonly string[] {
  const found = /^([^[]*)\[([\d,-]+)\](.*)$/.exec(part);
  if (found === null) return [part];
  const [, before = "", ranges = "", after = ""] = found;
  return ranges.split(",").flatMap((range) => expandRange(range).map((number) => `${before}${number}${after}`));
}

function expandRange(range: string): readonly string[] {
  const [from = "", to = from] = range.split("-");
  const count = Math.min(maxHosts, Number(to) - Number(from) + 1);
  if (!(count > 0)) return [];
  return Array.from({ length: count }, (_, index) => String(Number(from) + index).padStart(from.length, "0"));
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A number, or the number of `{ set: true, infinite: false, number }`. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  const { set, infinite, number } = fieldsOf(value);
  return set === true && infinite !== true && typeof number === "number" ? number : undefined;
}
