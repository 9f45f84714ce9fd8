import fc from "fast-check";
import { arbitraryRequest, type ArbitraryRequest } from "./arbitrary-request.ts";
import {
  faultsOf,
  finderIn,
  type JsonSchema,
  type OpenapiDocument,
  type OpenapiOperation,
  type OpenapiResponse,
} from "./openapi-document.ts";

/** RUNS_OF_OPENAPI=500 for a long search; SEED_OF_OPENAPI for another one. */
const runs = Number(process.env["RUNS_OF_OPENAPI"] ?? 40);
const seed = Number(process.env["SEED_OF_OPENAPI"] ?? 20_261_121);

export interface OpenapiCheck {
  readonly document: OpenapiDocument;
  /** Of records that there are. */
  readonly ids: readonly string[];
  /** In whose name an operation is called; one of them is given to `call`. */
  readonly callersOf: (operationId: string) => readonly string[];
  readonly call: (request: ArbitraryRequest & { readonly method: string }, caller: string) => Promise<Response>;
  /** What a problem may name as its reason. */
  readonly isReason: (reason: string) => boolean;
  /** Reasons of failures (5xx) that are no fault of the service; none unless given. */
  readonly expectedFailures?: readonly string[];
}

export interface OpenapiFindings {
  /** Where an answer is not what the document says, with the request. */
  readonly faults: readonly string[];
  /** Operations that succeeded at least once: requests that are all refused would show nothing of the answers. */
  readonly succeeded: ReadonlySet<string>;
}

/** Sends many requests to every operation, as the document says and otherwise, and holds the answers against the document. */
export async function checkOpenapi(check: OpenapiCheck): Promise<OpenapiFindings> {
  const { document, ids } = check;
  const find = finderIn(document);
  const faults: string[] = [];
  const succeeded = new Set<string>();
  for (const { path, method, operation } of operationsOf(document)) {
    const { operationId } = operation;
    const callers = fc.constantFrom(...check.callersOf(operationId));
    const requests = fc.tuple(callers, arbitraryRequest(path, operation, { find, ids }));
    for (const [caller, request] of fc.sample(requests, { numRuns: runs, seed })) {
      const response = await check.call({ ...request, method }, caller);
      if (response.status < 400) succeeded.add(operationId);
      const found = await judge(response, operation, check);
      faults.push(...found.map((fault) => `${operationId} as ${caller} ${JSON.stringify(request)}: ${fault}`));
    }
  }
  return { faults, succeeded };
}

/** Where the document does not hold together, or is not on these operations. */
export function faultsOfDocument(document: OpenapiDocument, operationIds: readonly string[]): string[] {
  const operations = operationsOf(document);
  const described = operations.map(({ operation }) => operation.operationId);
  const dangling = Array.from(
    JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g),
    ([, reference = ""]) => reference,
  ).filter((reference) => resolve(document, reference) === undefined);
  return [
    ...operationIds.filter((id) => !described.includes(id)).map((id) => `${id} is not described`),
    ...described.filter((id) => !operationIds.includes(id)).map((id) => `${id} is no operation`),
    ...described.filter((id, index) => described.indexOf(id) !== index).map((id) => `${id} is described twice`),
    ...operations.flatMap(faultsOfPath),
    ...dangling.map((reference) => `${reference} leads nowhere`),
  ];
}

interface PlacedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenapiOperation;
}

const operationsOf = ({ paths }: OpenapiDocument): readonly PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

function faultsOfPath({ path, operation: { operationId, parameters = [] } }: PlacedOperation): string[] {
  const wanted = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name).join();
  const found = parameters.flatMap((one) => (one.in === "path" ? one.name : [])).join();
  return wanted === found ? [] : [`${operationId} has the parameters ${found} in its path, and not ${wanted}`];
}

const resolve = (document: OpenapiDocument, reference: string): unknown =>
  reference.split("/").reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);

async function judge(response: Response, operation: OpenapiOperation, check: OpenapiCheck): Promise<string[]> {
  const { status } = response;
  const mediaType = withoutParameters(response.headers.get("content-type") ?? "");
  const form = findForm({ status, mediaType }, operation, check.document);
  if (mediaType === "text/event-stream") {
    // A stream of events has no end.
    await response.body?.cancel();
    return form === undefined ? ["the document knows of no events"] : [];
  }
  const text = await response.text();
  if (form === undefined) return text === "" && status < 400 ? [] : [`status ${status} is not described: ${text}`];
  if (status >= 400) return judgeRefusal(status, JSON.parse(text) as Refusal, { ...check, schema: form.schema ?? {} });
  return form.schema === undefined ? [] : faultsOf(form.schema, JSON.parse(text), finderIn(check.document));
}

const withoutParameters = (mediaType: string): string => mediaType.split(";")[0] ?? "";

type Form = NonNullable<OpenapiResponse["content"]>[string];

/** Of the status itself, or of all of its kind. */
function findForm(
  { status, mediaType }: { readonly status: number; readonly mediaType: string },
  { responses }: OpenapiOperation,
  document: OpenapiDocument,
): Form | undefined {
  const told = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
  const { content = {} } =
    told?.$ref === undefined ? (told ?? {}) : (resolve(document, told.$ref.slice("#/".length)) as OpenapiResponse);
  return Object.entries(content).find(([key]) => withoutParameters(key) === mediaType)?.[1];
}

/** A problem, or an error of OpenAI's API, whose code is the reason in small letters where clients know no other. */
interface Refusal {
  readonly reason?: string;
  readonly status?: number;
  readonly error?: { readonly code: string | null };
}

interface RefusalCheck extends OpenapiCheck {
  readonly schema: JsonSchema;
}

function judgeRefusal(status: number, body: Refusal, check: RefusalCheck): string[] {
  const { reason, status: told = status, error } = body;
  const failure = reason ?? error?.code?.toUpperCase() ?? "";
  const isExpected = status < 500 || check.expectedFailures?.includes(failure) === true;
  return [
    ...faultsOf(check.schema, body, finderIn(check.document)),
    ...(isExpected ? [] : [`status ${status}: ${JSON.stringify(body)}`]),
    ...(reason === undefined || check.isReason(reason) ? [] : [`the reason ${reason} is unknown`]),
    ...(told === status ? [] : ["the status differs"]),
  ];
}
