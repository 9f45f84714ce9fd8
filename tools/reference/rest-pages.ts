import { httpStatusOf } from "@attune/contracts/errors/http-status.ts";
import { type PlatformReasonEntry, platformReasons } from "@attune/contracts/errors/platform-reasons.ts";
import * as acls from "@attune/contracts/rest/acls.ts";
import * as datasetDownloads from "@attune/contracts/rest/dataset-downloads.ts";
import * as datasetUploads from "@attune/contracts/rest/dataset-uploads.ts";
import * as datasets from "@attune/contracts/rest/datasets.ts";
import type { RouteContract } from "@attune/contracts/rest/define-route.ts";
import * as events from "@attune/contracts/rest/events.ts";
import { healthReasons } from "@attune/contracts/rest/health-reasons.ts";
import * as identity from "@attune/contracts/rest/identity.ts";
import * as jobs from "@attune/contracts/rest/jobs.ts";
import * as models from "@attune/contracts/rest/models.ts";
import * as operationLogs from "@attune/contracts/rest/operation-logs.ts";
import * as system from "@attune/contracts/rest/system.ts";
import * as tenants from "@attune/contracts/rest/tenants.ts";
import { page, table } from "./markdown.ts";

const modules: readonly Readonly<Record<string, unknown>>[] = [
  identity,
  tenants,
  acls,
  datasets,
  datasetUploads,
  datasetDownloads,
  models,
  jobs,
  events,
  operationLogs,
  system,
];

const isRoute = (value: unknown): value is RouteContract =>
  typeof value === "object" && value !== null && "method" in value && "path" in value && "access" in value;
export const routes: readonly RouteContract[] = modules.flatMap((module) => Object.values(module).filter(isRoute));

const restIntro =
  "Paths stand below `/api/v1`. The document at `/api/v1/openapi.json` has the forms of requests and answers, and is what they are checked against. Lists come in pages: `limit`, `cursor`, `next_cursor`. `Idempotency-Key` makes a repetition harmless where it is taken; edits name the version they were made on by `If-Match`.";
const problemsIntro =
  "Every refusal and failure of the platform is a problem (RFC 9457, `application/problem+json`) with one of these reasons, a remedy and the request's id.";

const healthIntro =
  "What the checks of `GET /system/health` and the page *System* can find; see [Is everything well?](../guides/platform.md#is-everything-well).";

/** The pages on the platform's REST operations and problems, by path. */
export function restPages(): Readonly<Record<string, string>> {
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  return {
    "docs/reference/rest.md": page("REST operations", restIntro, ...tags.flatMap(operationTable)),
    "docs/reference/problems.md": page("Problems", problemsIntro, problemTable()),
    "docs/reference/health.md": page("Findings of health", healthIntro, healthTable()),
  };
}

function operationTable(tag: string): readonly string[] {
  const rows = routes
    .filter((route) => route.tag === tag)
    .map((route) => [`\`${route.method} ${route.path}\``, route.summary, accessOf(route), headersOf(route)]);
  const title = tag === "api tokens" ? "API tokens" : tag.charAt(0).toUpperCase() + tag.slice(1);
  return [`## ${title}`, table(["Operation", "What it does", "Needs", "Headers"], rows)];
}

function accessOf({ access }: RouteContract): string {
  if (access.kind === "public") return "nothing";
  if (access.kind === "signed_in") return "a token";
  if (access.kind === "platform") return `the platform role ${access.role}`;
  return `${access.action} · ${access.resource}`;
}

const headersOf = ({ isIdempotent, needsIfMatch }: RouteContract): string =>
  [...(isIdempotent === true ? ["Idempotency-Key"] : []), ...(needsIfMatch === true ? ["If-Match"] : [])].join(", ");

function healthTable(): string {
  const rows = Object.entries(healthReasons).map(([reason, { sentence, remedy }]) => [
    `\`${reason}\``,
    sentence,
    remedy,
  ]);
  return table(["Finding", "What it means", "What to do"], rows);
}

function problemTable(): string {
  const rows = Object.entries<PlatformReasonEntry>(platformReasons).map(([reason, entry]) => [
    `\`${reason}\``,
    String(entry.httpStatus ?? httpStatusOf[entry.code]),
    `\`${entry.code}\``,
    entry.sentence,
    entry.remedy,
    entry.retryable ? "yes" : "",
  ]);
  return table(["Reason", "Status", "Code", "What happened", "What to do", "May succeed later"], rows);
}
