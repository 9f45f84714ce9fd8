import { AppError } from "@attune/service-kit/app-error.ts";

/** How a field of a job is written: the versions of the API differ in it. */
export type FieldKind = "text" | "number" | "number_object" | "flag" | "list" | "map";

export interface SlurmApi {
  /** As in the path: v0.0.41. */
  readonly version: string;
  /** Fields of a job to submit. An unknown one is a fault in old versions, and dropped in new ones. */
  readonly jobFields: ReadonlyMap<string, FieldKind>;
  /** `jobs` → `/slurm/v0.0.41/jobs/`: some versions end paths with a slash. */
  path(name: "ping" | "jobs" | "nodes" | "partitions" | "job/submit"): string;
  jobPath(reference: string): string;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Document {
  readonly paths?: Readonly<Record<string, { readonly post?: { readonly requestBody?: RequestBody } }>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}
interface RequestBody {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

const submitPath = /^\/slurm\/(v\d+\.\d+\.\d+)\/job\/submit\/?$/;

/**
 * What the server's own OpenAPI document says that it understands; of several versions the newest.
 * @throws AppError CLUSTER_INCOMPATIBLE when it is no such document.
 */
export function readSlurmApi(json: unknown): SlurmApi {
  const document = (typeof json === "object" && json !== null ? json : {}) as Document;
  const paths = Object.keys(document.paths ?? {});
  const versions = paths.map((path) => submitPath.exec(path)?.[1]).filter((version) => version !== undefined);
  const version = versions.sort(compareVersions).at(-1);
  const jobFields = version === undefined ? undefined : jobFieldsOf(document, version);
  if (version === undefined || jobFields === undefined) throw incompatible();
  const root = `/slurm/${version}`;
  const path = (name: string): string => (paths.includes(`${root}/${name}/`) ? `${root}/${name}/` : `${root}/${name}`);
  return { version, jobFields, path, jobPath: (reference) => `${root}/job/${encodeURIComponent(reference)}` };
}

const incompatible = (): AppError =>
  new AppError("CLUSTER_INCOMPATIBLE", {
    detail: "Its OpenAPI document names no operation to submit jobs; slurmrestd must load openapi/v0.0.38 or newer.",
  });

const compareVersions = (a: string, b: string): number => numberOf(a) - numberOf(b);
const numberOf = (version: string): number =>
  version
    .slice(1)
    .split(".")
    .reduce((sum, part) => sum * 1000 + Number(part), 0);

function jobFieldsOf(document: Document, version: string): ReadonlyMap<string, FieldKind> | undefined {
  const [, operation] =
    Object.entries(document.paths ?? {}).find(([path]) => submitPath.exec(path)?.[1] === version) ?? [];
  const body = resolve(document, operation?.post?.requestBody?.content?.["application/json"]?.schema);
  const job = resolve(document, body?.properties?.["job"]);
  if (job?.properties === undefined) return undefined;
  return new Map(Object.entries(job.properties).map(([name, schema]) => [name, kindOf(document, schema)]));
}

/** Follows references a few steps; what it does not find is undefined. */
function resolve(document: Document, schema: Schema | undefined, depth = 0): Schema | undefined {
  const next = schema === undefined || depth > 8 ? undefined : referred(document, schema);
  return next === undefined ? schema : resolve(document, next, depth + 1);
}

function referred(document: Document, { $ref, properties, allOf, oneOf }: Schema): Schema | undefined {
  if ($ref !== undefined) return document.components?.schemas?.[$ref.split("/").at(-1) ?? ""] ?? {};
  return properties === undefined ? (allOf?.[0] ?? oneOf?.[0]) : undefined;
}

function kindOf(document: Document, field: Schema): FieldKind {
  const schema = resolve(document, field);
  if (schema?.properties?.["number"] !== undefined) return "number_object";
  switch (schema?.type) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "flag";
    case "array":
      return "list";
    case "object":
      return "map";
    default:
      return "text";
  }
}
