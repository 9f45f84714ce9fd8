import { nodeHealthReasons } from "@attune/contracts/compute/node-health-reasons.ts";
import { runCauses } from "@attune/contracts/compute/run-causes.ts";
import { httpStatusOf } from "@attune/contracts/errors/http-status.ts";
import { nodeReasons } from "@attune/contracts/errors/node-reasons.ts";
import type { PlatformReasonEntry } from "@attune/contracts/errors/platform-reasons.ts";
import * as cacheRoutes from "../../apps/node-agent/src/http/cache-routes.ts";
import * as deviceRoutes from "../../apps/node-agent/src/http/device-routes.ts";
import * as fileRoutes from "../../apps/node-agent/src/http/file-routes.ts";
import * as healthRoutes from "../../apps/node-agent/src/http/health-routes.ts";
import * as inferenceRoutes from "../../apps/node-agent/src/http/inference-routes.ts";
import * as jobRoutes from "../../apps/node-agent/src/http/job-routes.ts";
import * as openaiRoutes from "../../apps/node-agent/src/http/openai-routes.ts";
import type { NodeRoute } from "../../apps/node-agent/src/http/node-route.ts";
import { page, table } from "./markdown.ts";

const modules: readonly Readonly<Record<string, unknown>>[] = [
  healthRoutes,
  jobRoutes,
  deviceRoutes,
  inferenceRoutes,
  openaiRoutes,
  cacheRoutes,
  fileRoutes,
];

const isRoute = (value: unknown): value is NodeRoute =>
  typeof value === "object" && value !== null && "method" in value && "path" in value && "access" in value;
export const nodeRoutes: readonly NodeRoute[] = modules.flatMap((module) => Object.values(module).filter(isRoute));

const operationsIntro =
  "A node agent serves these paths as they stand here. The document at `/openapi.json` has the forms of requests and answers, and is what they are checked against; refusals are [problems](node-problems.md). Where the node has a token (`NODE_AGENT_TOKEN`), it comes as `Authorization: Bearer TOKEN`. [Run a compute node](../guides/compute-node.md) tells how to begin.";
const problemsIntro =
  "Every refusal and failure of a node agent is a problem (RFC 9457, `application/problem+json`) with a reason, a remedy and the request's id. Faults of the request itself have the reasons that [the platform](problems.md) has, such as `REQUEST_INVALID`; a model that cannot be loaded is told in an answer with status 200. Below `/v1` everything is refused as OpenAI's API does it: an object `error` with `message`, `type`, `code` (the reason in small letters, or the code of OpenAI that its clients look for) and `param`.";
const causesIntro =
  "Why a job failed, in the member `failure.cause` of `GET /compute/jobs/{job_id}`, and in the message of a model that cannot be loaded. The last 200 lines of its log come with it.";
const findingsIntro = "What `GET /health` of a node agent can find.";

/** The pages on the operations of a node, its problems, findings and causes of failure, by path. */
export function nodePages(): Readonly<Record<string, string>> {
  const tags = [...new Set(nodeRoutes.map(({ tag }) => tag))];
  return {
    "docs/reference/node-api.md": page(
      "Operations of a compute node",
      operationsIntro,
      ...tags.flatMap(operationTable),
    ),
    "docs/reference/node-problems.md": page("Problems of a compute node", problemsIntro, problemTable()),
    "docs/reference/node-causes.md": page("Causes of failure of jobs", causesIntro, causeTable()),
    "docs/reference/node-health.md": page("Findings of a node's health", findingsIntro, findingTable()),
  };
}

function operationTable(tag: string): readonly string[] {
  const rows = nodeRoutes
    .filter((route) => route.tag === tag)
    .map(({ method, path, summary, access }) => [
      `\`${method} ${path}\``,
      summary,
      access === "public" ? "nothing" : "the token",
    ]);
  return [`## ${tag.charAt(0).toUpperCase()}${tag.slice(1)}`, table(["Operation", "What it does", "Needs"], rows)];
}

function problemTable(): string {
  const rows = Object.entries<PlatformReasonEntry>(nodeReasons).map(([reason, entry]) => [
    `\`${reason}\``,
    String(entry.httpStatus ?? httpStatusOf[entry.code]),
    `\`${entry.code}\``,
    entry.sentence,
    entry.remedy,
    entry.retryable ? "yes" : "",
  ]);
  return table(["Reason", "Status", "Code", "What happened", "What to do", "May succeed later"], rows);
}

function causeTable(): string {
  const rows = Object.entries(runCauses).map(([cause, { sentence, hint, retryable }]) => [
    `\`${cause}\``,
    sentence,
    hint,
    retryable ? "yes" : "",
  ]);
  return table(["Cause", "What happened", "What to do", "May succeed later"], rows);
}

function findingTable(): string {
  const rows = Object.entries(nodeHealthReasons).map(([reason, { sentence, remedy }]) => [
    `\`${reason}\``,
    sentence,
    remedy,
  ]);
  return table(["Finding", "What it means", "What to do"], rows);
}
