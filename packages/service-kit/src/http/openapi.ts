import { isSchema, type ResponseBody, type RouteContract } from "@attune/contracts/rest/define-route.ts";
import * as z from "zod";

type Json = Record<string, unknown>;

/** One operation as it is documented. */
export interface DocumentedOperation extends Pick<
  RouteContract,
  "id" | "method" | "path" | "tag" | "summary" | "params" | "query" | "body" | "upload" | "responses"
> {
  /** Who may call it. */
  readonly description: string;
  /** Whether it needs a token. */
  readonly needsToken: boolean;
  readonly headers: readonly DocumentedHeader[];
  /** What it answers instead of a problem where it refuses or fails. */
  readonly refusal?: z.ZodType | undefined;
}

export interface DocumentedHeader {
  readonly name: string;
  readonly isRequired: boolean;
  readonly description: string;
}

export interface DocumentedApi {
  readonly title: string;
  readonly description: string;
  /** What stands before every path. */
  readonly serverUrl: string;
  readonly tokenDescription: string;
  /** The form of a refusal; its id is `Problem`. */
  readonly problem: z.ZodType;
}

/** The OpenAPI 3.1 document of the operations, from the schemas that check requests and answers. */
export function renderOpenapi(operations: readonly DocumentedOperation[], api: DocumentedApi): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method.toLowerCase()] = renderOperation(operation);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: api.title,
      version: "1",
      description: api.description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: api.serverUrl }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: collectComponents(operations, api.problem),
      securitySchemes: { token: { type: "http", scheme: "bearer", description: api.tokenDescription } },
      responses: {
        Problem: {
          description: whyRefused,
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
    },
  };
}

function renderOperation(operation: DocumentedOperation): Json {
  const parameters = [
    ...renderParameters(operation.params, "path"),
    ...renderParameters(operation.query, "query"),
    ...operation.headers.map(renderHeader),
  ];
  const body = renderRequestBody(operation);
  const refusal = renderRefusal(operation);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    security: operation.needsToken ? [{ token: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([status, form]) => [status, renderResponse(form)]),
      ),
      "4XX": refusal,
      "5XX": refusal,
    },
  };
}

const whyRefused = "Why it was refused or failed, and what to do";

function renderRefusal({ refusal }: DocumentedOperation): Json {
  if (refusal === undefined) return { $ref: "#/components/responses/Problem" };
  return { description: whyRefused, content: { "application/json": { schema: toSchema(refusal, "output") } } };
}

const renderHeader = ({ name, isRequired, description }: DocumentedHeader): Json => ({
  name,
  in: "header",
  required: isRequired,
  description,
  schema: { type: "string" },
});

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

function renderRequestBody({ body, upload }: DocumentedOperation): Json | undefined {
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
function collectComponents(operations: readonly DocumentedOperation[], problem: z.ZodType): Record<string, Json> {
  const answers = operations
    .flatMap(({ responses, refusal = null }) => [...Object.values(responses), refusal])
    .flatMap((form) => (form === null || isSchema(form) ? form : form.data) ?? []);
  const bodies = operations.flatMap(({ body }) => body ?? []);
  return {
    ...Object.assign({}, ...bodies.map((body) => namedPartsOf(body, "input"))),
    ...Object.assign({}, ...[problem, ...answers].map((answer) => namedPartsOf(answer, "output"))),
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
