type Schema = Readonly<Record<string, unknown>>;

/**
 * A value that a JSON Schema accepts, as constrained decoding would make one: the keywords that structured output allows.
 * Words in it come from `text`, so that a test sees what was asked.
 */
export function makeValueOfSchema(schema: unknown, text: string, root: unknown = schema): unknown {
  if (typeof schema !== "object" || schema === null) return text;
  const given = schema as Schema;
  if ("const" in given) return given["const"];
  if (Array.isArray(given["enum"])) return given["enum"][0];
  if (typeof given["$ref"] === "string") return makeValueOfSchema(findReference(root, given["$ref"]), text, root);
  const choice = ["anyOf", "oneOf", "allOf"].map((key) => given[key]).find(Array.isArray);
  if (choice !== undefined) return makeValueOfSchema(choice[0], text, root);
  const type = Array.isArray(given["type"]) ? given["type"][0] : given["type"];
  return makeOfType(String(type), { given, text, root });
}

interface Making {
  readonly given: Schema;
  readonly text: string;
  readonly root: unknown;
}

function makeOfType(type: string, { given, text, root }: Making): unknown {
  if (type === "object") {
    const properties = Object.entries((given["properties"] ?? {}) as Schema);
    return Object.fromEntries(properties.map(([key, of]) => [key, makeValueOfSchema(of, text, root)]));
  }
  if (type === "array") {
    const length = Math.max(Number(given["minItems"] ?? 1), 0);
    return Array.from({ length }, () => makeValueOfSchema(given["items"], text, root));
  }
  if (type === "integer" || type === "number") return makeNumber(given);
  if (type === "boolean") return true;
  if (type === "null") return null;
  return text.padEnd(Number(given["minLength"] ?? 0), ".").slice(0, Number(given["maxLength"] ?? Infinity));
}

function makeNumber(given: Schema): number {
  const least = Number(given["minimum"] ?? given["exclusiveMinimum"] ?? 0);
  return Math.min(least + 1, Number(given["maximum"] ?? Infinity));
}

function findReference(root: unknown, reference: string): unknown {
  return reference
    .replace(/^#\/?/, "")
    .split("/")
    .filter(Boolean)
    .reduce<unknown>((at, key) => (at as Schema | undefined)?.[key], root);
}
