import { renderJobScript } from "../job-script.ts";
import type { ClusterJob } from "../scheduler.ts";
import type { FieldKind, SlurmApi } from "./read-slurm-api.ts";

export interface SlurmJobSettings {
  readonly partition: string | undefined;
  readonly account: string | undefined;
  readonly qos: string | undefined;
  /** Undefined: that of the partition. */
  readonly timeLimitMinutes: number | undefined;
  /** `gpu`, or with a type: `gpu:a100`. */
  readonly gpuResource: string;
}

type Value = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

/** By this a job is found again when the answer to its submission was lost. */
export const commentOf = (id: string): string => `attune:${id}`;

/** Body of `job/submit` in the form of the server's version: fields that it does not know are left out. */
export function renderSlurmJob(job: ClusterJob, settings: SlurmJobSettings, api: SlurmApi): unknown {
  const script = renderJobScript(job, {
    claim: '"slurm ${SLURM_JOB_ID:-}"',
    timeLimitSeconds: settings.timeLimitMinutes === undefined ? undefined : settings.timeLimitMinutes * 60,
  });
  const fields: Record<string, Value | undefined> = {
    name: `attune-${job.id}`,
    comment: commentOf(job.id),
    partition: settings.partition,
    account: settings.account,
    qos: settings.qos,
    current_working_directory: job.runFolder,
    standard_output: `${job.runFolder}/run.log`,
    open_mode: "append",
    // A run is not begun twice: its machine being lost is told, and the run resumed by a job of its own.
    requeue: false,
    tasks: 1,
    cpus_per_task: job.cpus,
    memory_per_node: job.memoryMb,
    time_limit: settings.timeLimitMinutes,
    ...gpuFields(job.gpus, settings.gpuResource, api),
    ...warningFields(job.graceSeconds, api),
    environment: { PATH: job.command.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" },
    // Where it stands depends on the version; the other place is ignored or refused.
    script: api.jobFields.has("script") ? script : undefined,
  };
  const known = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    const kind = api.jobFields.get(name);
    return value === undefined || kind === undefined ? [] : [[name, encode(value, kind)]];
  });
  return { ...(!api.jobFields.has("script") && { script }), job: Object.fromEntries(known) };
}

function gpuFields(gpus: number, resource: string, { jobFields }: SlurmApi): Record<string, Value> {
  if (gpus === 0) return {};
  if (jobFields.has("tres_per_node")) return { tres_per_node: `gres/${resource}:${gpus}` };
  return { gres: `${resource}:${gpus}` };
}

/** A signal to the script before the time limit of the partition. v0.0.38 can send one to job steps only, which it has not. */
function warningFields(graceSeconds: number, { jobFields }: SlurmApi): Record<string, Value> {
  if (!jobFields.has("kill_warning_signal")) return {};
  const delay = Math.min(65_535, Math.max(1, Math.trunc(graceSeconds)));
  return { kill_warning_signal: "USR1", kill_warning_flags: ["BATCH_JOB"], kill_warning_delay: delay };
}

function encode(value: Value, kind: FieldKind): unknown {
  if (kind === "number_object") return { set: true, infinite: false, number: value };
  if (kind !== "list") return value;
  if (typeof value === "object" && !Array.isArray(value)) {
    return Object.entries(value).map(([name, text]) => `${name}=${text}`);
  }
  return Array.isArray(value) ? value : [String(value).toUpperCase()];
}
