type Schema = Readonly<Record<string, unknown>>;

export interface StrictSchema {
  readonly schema: Schema;
  /** Strict mode takes schemas only whose properties are all required. */
  readonly strict: boolean;
}

/** A JSON Schema as structured output takes it: closed objects, no `$schema`, strict where it can be. */
export function toStrictSchema({ $schema: _dialect, ...schema }: Schema): StrictSchema {
  return { schema: close(schema) as Schema, strict: isAllRequired(schema) };
}

function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(close);
  if (!isSchema(node)) return node;
  const closed = Object.fromEntries(Object.entries(node).map(([key, child]) => [key, close(child)]));
  return isObjectSchema(node) && !("additionalProperties" in node)
    ? { ...closed, additionalProperties: false }
    : closed;
}

function isAllRequired(node: unknown): boolean {
  if (Array.isArray(node)) return node.every(isAllRequired);
  if (!isSchema(node)) return true;
  if (isObjectSchema(node)) {
    const required = (node["required"] ?? []) as readonly string[];
    const isOpen = (node["additionalProperties"] ?? false) !== false;
    if (isOpen || !Object.keys(node["properties"] as Schema).every((name) => required.includes(name))) return false;
  }
  return Object.values(node).every(isAllRequired);
}

const isSchema = (node: unknown): node is Schema => typeof node === "object" && node !== null;
// A property may itself be named `properties`; only a schema of an object has this type beside it.
const isObjectSchema = (node: Schema): boolean => node["type"] === "object" && isSchema(node["properties"]);
