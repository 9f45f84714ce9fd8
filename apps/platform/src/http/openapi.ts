import type { RouteContract } from "@attune/contracts/rest/define-route.ts";
import { problemSchema } from "@attune/contracts/rest/schemas.ts";
import {
  type DocumentedHeader,
  type DocumentedOperation,
  renderOpenapi as renderDocument,
} from "@attune/service-kit/http/openapi.ts";

/** The OpenAPI 3.1 document of the platform. */
export const renderOpenapi = (contracts: readonly RouteContract[]): Record<string, unknown> =>
  renderDocument(contracts.map(describe), {
    title: "Attune",
    description: "Turns documents into fine-tuned models. Failures are problems (RFC 9457) with a reason and a remedy.",
    serverUrl: "/api/v1",
    tokenDescription: "A session's or an API token",
    problem: problemSchema,
  });

const describe = (contract: RouteContract): DocumentedOperation => ({
  ...contract,
  description: describeAccess(contract),
  needsToken: contract.access.kind !== "public",
  headers: headersOf(contract),
});

function describeAccess({ access }: RouteContract): string {
  if (access.kind === "public") return "Open to anybody.";
  if (access.kind === "signed_in") return "For anybody who is signed in.";
  if (access.kind === "platform") return `For the platform role ${access.role}.`;
  return `Needs the right to ${access.action} in the tenant (${access.resource}).`;
}

function headersOf({ isIdempotent, needsIfMatch, access, headers = {} }: RouteContract): DocumentedHeader[] {
  const header = (name: string, isRequired: boolean, description: string) => ({ name, isRequired, description });
  return [
    ...(isIdempotent === true
      ? [
          header(
            "Idempotency-Key",
            false,
            "A repetition with the same key gets the first answer and does nothing again",
          ),
        ]
      : []),
    ...(needsIfMatch === true ? [header("If-Match", true, "The ETag of the version that the edit was made on")] : []),
    ...Object.entries(headers).map(([name, description]) => header(name, false, description)),
    ...(access.kind === "tenant"
      ? [header("Attune-Tenant", false, "Id of the tenant, for members of several; API tokens belong to one")]
      : []),
  ];
}
