import { AppError } from "@attune/service-kit/app-error.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import { callCluster, type ClusterAnswer, type ClusterRequest } from "../cluster-http.ts";
import type { SlurmToken } from "./create-slurm-token.ts";
import { readSlurmApi, type SlurmApi } from "./read-slurm-api.ts";
import { readSlurmErrors, type SlurmFault, slurmFaults } from "./read-slurm-errors.ts";

export interface SlurmClientDeps {
  /** Of slurmrestd: http://host:6820. */
  readonly url: string;
  readonly user: string;
  readonly timeoutMs: number;
  readonly token: SlurmToken;
}

export interface SlurmAnswer {
  readonly json: unknown;
  /** Faults that the caller judges; empty when all went well. */
  readonly faults: readonly SlurmFault[];
}

export interface SlurmClient {
  /** What the server understands; asked once. */
  api(signal?: AbortSignal): Promise<SlurmApi>;
  /**
   * @throws AppError CLUSTER_UNREACHABLE when slurmrestd or slurmctld does not answer, CLUSTER_ACCESS_DENIED,
   * CLUSTER_INCOMPATIBLE when there is no such operation.
   */
  call(request: Omit<ClusterRequest, "headers">, signal?: AbortSignal): Promise<SlurmAnswer>;
}

/** Requests to slurmrestd. A refused token is made anew once, where there is a command for it. */
export function createSlurmClient({ url, user, timeoutMs, token }: SlurmClientDeps): SlurmClient {
  let known: SlurmApi | undefined;

  const exchange = async (request: Omit<ClusterRequest, "headers">, signal?: AbortSignal): Promise<ClusterAnswer> => {
    const first = await token.get();
    const answer = await ask(request, first, signal);
    if (answer.status !== 401) return answer;
    const second = await token.get(first);
    return second === first ? answer : await ask(request, second, signal);
  };
  const ask = (
    request: Omit<ClusterRequest, "headers">,
    secret: Secret,
    signal?: AbortSignal,
  ): Promise<ClusterAnswer> => {
    const headers = { "x-slurm-user-name": user, "x-slurm-user-token": secret.reveal() };
    return callCluster({ url, timeoutMs }, { ...request, headers }, signal);
  };
  const call: SlurmClient["call"] = async (request, signal) => {
    const answer = await exchange(request, signal);
    if (answer.status === 404 && answer.json === undefined) known = undefined; // it was replaced by another version
    return judge(answer, url);
  };
  return {
    api: async (signal) => (known ??= readSlurmApi((await call({ method: "GET", path: "/openapi/v3" }, signal)).json)),
    call,
  };
}

function judge({ status, json, text }: ClusterAnswer, url: string): SlurmAnswer {
  if (status === 401 || status === 403) throw denied("slurmrestd says: authentication failure.");
  if (json === undefined) {
    const said = text.trim().slice(0, 200);
    throw new AppError("CLUSTER_INCOMPATIBLE", {
      detail: `${url} answers with status ${status}: ${said || "nothing"}.`,
    });
  }
  const faults = readSlurmErrors(json);
  const gone = faults.find((fault) => slurmFaults.isUnreachable(fault));
  if (gone !== undefined) throw new AppError("CLUSTER_UNREACHABLE", { detail: `slurmrestd says: ${gone.text}.` });
  const refused = faults.find((fault) => slurmFaults.isDenied(fault));
  if (refused !== undefined) throw denied(`Slurm says: ${refused.text}.`);
  if (faults.length === 0 && status >= 400)
    throw new AppError("CLUSTER_UNREACHABLE", { detail: `slurmrestd has status ${status}.` });
  return { json, faults };
}

const denied = (detail: string): AppError => new AppError("CLUSTER_ACCESS_DENIED", { detail });
