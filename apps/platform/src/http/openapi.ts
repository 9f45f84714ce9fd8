import { isSchema, type ResponseBody, type RouteContract } from "@attune/contracts/rest/define-route.ts";
import { problemSchema } from "@attune/contracts/rest/schemas.ts";
import * as z from "zod";

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the operations, from the schemas that check requests and answers. */
export function renderOpenapi(contracts: readonly RouteContract[]): Json {
  const paths: Record<string, Json> = {};
  for (const contract of contracts) {
    const methods = (paths[contract.path] ??= {});
    methods[contract.method.toLowerCase()] = renderOperation(contract);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Attune",
      version: "1",
      description:
        "Turns documents into fine-tuned models. Failures are problems (RFC 9457) with a reason and a remedy.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/api/v1" }],
    tags: [...new Set(contracts.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: collectComponents(contracts),
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "A session's or an API token" } },
      responses: {
        Problem: {
          description: "Why it was refused or failed, and what to do",
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
    },
  };
}

function renderOperation(contract: RouteContract): Json {
  const parameters = [
    ...renderParameters(contract.params, "path"),
    ...renderParameters(contract.query, "query"),
    ...renderHeaders(contract),
  ];
  const body = renderRequestBody(contract);
  return {
    operationId: contract.id,
    tags: [contract.tag],
    summary: contract.summary,
    description: describeAccess(contract),
    security: contract.access.kind === "public" ? [] : [{ token: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: {
      ...Object.fromEntries(Object.entries(contract.responses).map(([status, form]) => [status, renderResponse(form)])),
      "4XX": { $ref: "#/components/responses/Problem" },
      "5XX": { $ref: "#/components/responses/Problem" },
    },
  };
}

function describeAccess({ access }: RouteContract): string {
  if (access.kind === "public") return "Open to anybody.";
  if (access.kind === "signed_in") return "For anybody who is signed in.";
  if (access.kind === "platform") return `For the platform role ${access.role}.`;
  return `Needs the right to ${access.action} in the tenant (${access.resource}).`;
}

function renderParameters(schema: z.ZodObject | undefined, place: "path" | "query"): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toSchema(schema, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: property,
  }));
}

function renderHeaders({ isIdempotent, needsIfMatch, access, headers = {} }: RouteContract): Json[] {
  const header = (name: string, required: boolean, description: string): Json => ({
    name,
    in: "header",
    required,
    description,
    schema: { type: "string" },
  });
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

function renderRequestBody({ body, upload }: RouteContract): Json | undefined {
  if (upload !== undefined) {
    return { required: true, description: upload.description, content: { [upload.mediaType]: {} } };
  }
  if (body === undefined) return undefined;
  const isOptional = body.safeParse(undefined).success;
  return { required: !isOptional, content: { "application/json": { schema: toSchema(body, "input") } } };
}

function renderResponse(form: ResponseBody): Json {
  if (form === null) return { description: "Done; no body" };
  if (!isSchema(form)) {
    const schema = form.data === undefined ? {} : { schema: toSchema(form.data, "output") };
    return { description: form.description, content: { [form.mediaType]: schema } };
  }
  return { description: "Success", content: { "application/json": { schema: toSchema(form, "output") } } };
}

function toSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, $defs: __, ...rest } = generate(schema, io);
  return pointToComponents(rest) as Json;
}

/** The named parts of all requests and answers, each once. A name stands for one form, as it is sent or as it is answered. */
function collectComponents(contracts: readonly RouteContract[]): Record<string, Json> {
  const answers = contracts
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap((form) => (form === null || isSchema(form) ? form : form.data) ?? []);
  const bodies = contracts.flatMap(({ body }) => body ?? []);
  return {
    ...Object.assign({}, ...bodies.map((body) => namedPartsOf(body, "input"))),
    ...Object.assign({}, ...[problemSchema, ...answers].map((answer) => namedPartsOf(answer, "output"))),
  } as Record<string, Json>;
}

function namedPartsOf(schema: z.ZodType, io: "input" | "output"): Record<string, Json> {
  const { $defs = {}, $ref } = generate(schema, io);
  const name = schema.meta()?.id;
  return {
    ...(pointToComponents($defs) as Record<string, Json>),
    ...(name !== undefined && $ref === undefined && { [name]: toSchema(schema, io) }),
  };
}

const generate = (schema: z.ZodType, io: "input" | "output"): Json =>
  z.toJSONSchema(schema, { target: "draft-2020-12", io, unrepresentable: "any" });

// Zod writes the parts of a schema below the schema itself; in the document they stand below its root.
function pointToComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointToComponents);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      name === "$ref" && typeof member === "string"
        ? [name, member.replace("#/$defs/", "#/components/schemas/")]
        : [name, pointToComponents(member)],
    ),
  );
}
