import { userInfo } from "node:os";
import { integerSetting, secretSetting, textSetting, urlSetting } from "@attune/service-kit/load-config.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import * as z from "zod";
import type { SlurmJobSettings } from "./slurm/render-slurm-job.ts";

export const schedulerSettings = {
  NODE_AGENT_SLURM_URL: urlSetting(
    "Address of slurmrestd, such as http://slurm:6820; unset: there is no scheduler slurm",
  ),
  NODE_AGENT_SLURM_USER: textSetting("User of Slurm whose jobs the runs are; unset: the user that the agent runs as"),
  NODE_AGENT_SLURM_TOKEN: secretSetting("JSON Web Token for slurmrestd, until it expires"),
  NODE_AGENT_SLURM_TOKEN_COMMAND: textSetting(
    "Command that prints a new token whenever one is needed, such as scontrol token lifespan=3600; run without a shell",
  ),
  NODE_AGENT_SLURM_PARTITION: textSetting("Partition of the jobs; unset: that of the cluster"),
  NODE_AGENT_SLURM_ACCOUNT: textSetting("Account that the jobs run under; unset: that of the user"),
  NODE_AGENT_SLURM_QOS: textSetting("Quality of service of the jobs; unset: that of the account"),
  NODE_AGENT_SLURM_TIME_LIMIT_MINUTES: integerSetting(
    { min: 0, max: 525_600, fallback: 0 },
    "Time limit of the jobs, before which they save a checkpoint; 0: that of the partition",
  ),
  NODE_AGENT_SLURM_GPU_RESOURCE: z
    .string()
    .regex(/^[A-Za-z][\w.-]*(:[\w.-]+)?$/)
    .default("gpu")
    .meta({ description: "Name of the GPUs in Slurm, with a type where they have one: gpu:a100", allowed: "text" }),
  NODE_AGENT_RAY_URL: urlSetting(
    "Address of Ray's dashboard, such as http://ray:8265; unset: there is no scheduler ray",
  ),
  NODE_AGENT_RAY_TOKEN: secretSetting("Token of a Ray cluster with token authentication"),
  NODE_AGENT_CLUSTER_TIMEOUT_MS: integerSetting(
    { min: 100, max: 300_000, fallback: 10_000 },
    "Time that a cluster has for an answer",
  ),
};

export interface SchedulerSettings {
  readonly timeoutMs: number;
  readonly slurm: SlurmSettings | undefined;
  readonly ray: RaySettings | undefined;
}

export interface SlurmSettings {
  readonly url: string;
  readonly user: string;
  readonly token: Secret | undefined;
  readonly tokenCommand: readonly string[] | undefined;
  readonly job: SlurmJobSettings;
}

export interface RaySettings {
  readonly url: string;
  readonly token: Secret | undefined;
}

type Values = z.infer<z.ZodObject<typeof schedulerSettings>>;

export function toSchedulerSettings(values: Values): SchedulerSettings {
  return {
    timeoutMs: values.NODE_AGENT_CLUSTER_TIMEOUT_MS,
    slurm: slurmOf(values),
    ray:
      values.NODE_AGENT_RAY_URL === undefined
        ? undefined
        : { url: withoutSlash(values.NODE_AGENT_RAY_URL), token: values.NODE_AGENT_RAY_TOKEN },
  };
}

function slurmOf(values: Values): SlurmSettings | undefined {
  if (values.NODE_AGENT_SLURM_URL === undefined) return undefined;
  const command = values.NODE_AGENT_SLURM_TOKEN_COMMAND?.split(/\s+/).filter(Boolean);
  return {
    url: withoutSlash(values.NODE_AGENT_SLURM_URL),
    user: values.NODE_AGENT_SLURM_USER ?? userInfo().username,
    token: values.NODE_AGENT_SLURM_TOKEN,
    tokenCommand: command?.length === 0 ? undefined : command,
    job: {
      partition: values.NODE_AGENT_SLURM_PARTITION,
      account: values.NODE_AGENT_SLURM_ACCOUNT,
      qos: values.NODE_AGENT_SLURM_QOS,
      timeLimitMinutes: values.NODE_AGENT_SLURM_TIME_LIMIT_MINUTES || undefined,
      gpuResource: values.NODE_AGENT_SLURM_GPU_RESOURCE,
    },
  };
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, "");
