/** The part of JSON Schema that the document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly pattern?: string;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
}

export interface OpenapiResponse extends Content {
  readonly $ref?: string;
}

export interface OpenapiOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: "path" | "query" | "header";
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: Content;
  /** By status, or by its kind such as `4XX`. */
  readonly responses: Readonly<Record<string, OpenapiResponse>>;
}

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export type FindSchema = (schema: JsonSchema) => JsonSchema;

/** Follows references into the document. */
export const finderIn = ({ components }: OpenapiDocument): FindSchema => {
  const find: FindSchema = (schema) => {
    const name = schema.$ref?.replace("#/components/schemas/", "");
    if (name === undefined) return schema;
    const found = components.schemas[name];
    if (found === undefined) throw new Error(`The document has no schema ${name}.`);
    return find(found);
  };
  return find;
};

/** Where a value is not what its schema says; empty when it is. */
export const faultsOf = (schema: JsonSchema, value: unknown, find: FindSchema): string[] =>
  check(schema, value, { find, at: "" });

interface Place {
  readonly find: FindSchema;
  /** JSON Pointer of the value. */
  readonly at: string;
}

function check(schema: JsonSchema, value: unknown, place: Place): string[] {
  const { find, at } = place;
  const below = (one: JsonSchema, item: unknown, name: string | number): string[] =>
    check(one, item, { find, at: `${at}/${name}` });
  const found = find(schema);
  const choices = found.anyOf ?? found.oneOf;
  if (choices !== undefined) {
    return choices.some((one) => check(one, value, place).length === 0) ? [] : [`${at}: is none of its forms`];
  }
  const ownFaults = [...faultsOfType(found, value, at), ...faultsOfBounds(found, value, at)];
  const parts = (found.allOf ?? []).flatMap((one) => check(one, value, place));
  if (ownFaults.length + parts.length > 0) return [...ownFaults, ...parts];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => below(found.items ?? {}, item, index));
  }
  return isObject(value) ? faultsOfMembers(found, value, below) : [];
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function typeOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return Number.isInteger(value) ? ["integer", "number"] : [typeof value];
}

function faultsOfType({ type, enum: values, const: only }: JsonSchema, value: unknown, at: string): string[] {
  const types = type === undefined ? undefined : [type].flat();
  if (types !== undefined && !typeOf(value).some((one) => types.includes(one)))
    return [`${at}: is no ${types.join("/")}`];
  if (values !== undefined && !values.includes(value)) return [`${at}: is none of ${values.join(", ")}`];
  return only !== undefined && only !== value ? [`${at}: is not ${JSON.stringify(only)}`] : [];
}

function faultsOfBounds(schema: JsonSchema, value: unknown, at: string): string[] {
  const { minimum = -Infinity, maximum = Infinity, minLength = 0, maxLength = Infinity } = schema;
  if (typeof value === "number" && (value < minimum || value > maximum)) return [`${at}: ${value} is out of bounds`];
  const length = typeof value === "string" ? Array.from(value).length : minLength;
  return length < minLength || length > maxLength ? [`${at}: has ${length} characters`] : [];
}

function faultsOfMembers(
  { properties = {}, required = [], additionalProperties = true }: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  faultsBelow: (schema: JsonSchema, item: unknown, name: string) => string[],
): string[] {
  const missing = required.filter((name) => !(name in value)).map((name) => `${name} is missing`);
  const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const faults = Object.entries(value).flatMap(([name, item]) => {
    const schema = properties[name] ?? others;
    if (schema !== undefined) return faultsBelow(schema, item, name);
    return additionalProperties === false ? [`${name} is not in the schema`] : [];
  });
  return [...missing, ...faults];
}
