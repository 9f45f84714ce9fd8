import { nodeHealthSchema } from "@attune/contracts/compute/node-health.ts";
import type { Check } from "./check.ts";

// A little more than the agent takes when a disk hangs.
const timeoutMs = 8000;
const remedy = "See its lines in the output of `npm start`.";

/**
 * Asks the node agent how it is; each of its findings is a line of its own.
 * @param origin such as http://127.0.0.1:8090
 * @param token what it asks for; undefined when it asks for none
 */
export async function checkNodeAgent(origin: string, token: string | undefined): Promise<readonly Check[]> {
  try {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${origin}/health`, { headers, signal, redirect: "manual" });
    if (response.status === 200) return judgeHealth(origin, await response.json());
    const text = `The node agent on ${origin} answers with status ${response.status}.`;
    return [{ state: "fail", text, remedy: response.status === 401 ? tokenRemedy : remedy }];
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    return [{ state: "fail", text: `The node agent on ${origin} does not answer: ${why}.`, remedy }];
  }
}

const tokenRemedy = "It runs with another token than NODE_AGENT_TOKEN says: stop it and start it anew.";

function judgeHealth(origin: string, body: unknown): readonly Check[] {
  const { success, data } = nodeHealthSchema.safeParse(body);
  if (!success) {
    return [{ state: "fail", text: `What answers on ${origin} is no node agent of this version.`, remedy }];
  }
  const { gpus, engines } = data;
  const usable = engines.filter(({ available }) => available).map(({ name }) => name);
  const devices = `${gpus.total}${gpus.is_simulated ? " simulated" : ""} GPU${gpus.total === 1 ? "" : "s"}`;
  const able = usable.length === 0 ? "no engine" : usable.join(", ");
  return [
    { state: "ok", text: `The node agent serves on ${origin}: ${devices}, ${able}.` },
    ...data.findings.map((finding): Check => ({
      state: finding.state === "failing" ? "fail" : "warn",
      text: `The node: ${finding.sentence}${finding.detail === null ? "" : ` ${finding.detail}`}`,
      remedy: finding.remedy,
    })),
  ];
}
