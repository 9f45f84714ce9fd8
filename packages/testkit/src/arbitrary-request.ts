import fc from "fast-check";
import type { FindSchema, JsonSchema, OpenapiOperation } from "./openapi-document.ts";

/** Texts that break what is not made for them. */
const hostile = [
  "",
  " ",
  "\0",
  "a\0b",
  "\u202e",
  "\ud800",
  "'; drop table users; --",
  "%",
  "%00",
  "\\",
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "${7*7}",
  "null",
  "__proto__",
  "constructor",
  "1e999",
  "-1",
  "9".repeat(40),
  "é".repeat(300),
  "😀".repeat(120),
];

const anyText = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: "binary", maxLength: 40 }), fc.string());
const anyValue = fc.oneof(anyText, fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(null, true, -1, 1e308, 0.5, [], {}));

export interface ArbitraryRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

type Ids = readonly string[];

/** Requests of one operation: many as the document says, many with a part that is anything. `ids` are those of records. */
export function arbitraryRequest(
  path: string,
  { parameters = [], requestBody }: OpenapiOperation,
  { find, ids }: { readonly find: FindSchema; readonly ids: Ids },
): fc.Arbitrary<ArbitraryRequest> {
  const place = (where: string) =>
    fc.record(
      Object.fromEntries(
        parameters.filter((one) => one.in === where).map(({ name, schema }) => [name, valueOf(schema, { find, ids })]),
      ),
      where === "path" ? {} : { requiredKeys: [] },
    );
  const json = requestBody?.content?.["application/json"]?.schema;
  const body =
    json === undefined ? anyText : fc.oneof({ weight: 3, arbitrary: valueOf(json, { find, ids }) }, anyValue);
  const ifMatch = fc.constantFrom('"1"', '"1"', '"2"', "*", 'W/"1"', "x", '"99999999999999999"');
  const key = fc.option(fc.constantFrom("key-1", "key-2", "x".repeat(201)), { nil: undefined });
  return fc
    .record({
      params: place("path"),
      query: fc.oneof(place("query"), fc.dictionary(anyText, anyText, { maxKeys: 2 })),
      body,
      ifMatch,
      key,
    })
    .map((made) => ({
      path: `${path.replace(/\{(\w+)\}/g, (_, name: string) => encode(made.params[name]))}${toQuery(made.query)}`,
      headers: {
        ...(requestBody !== undefined && {
          "content-type": json === undefined ? "application/octet-stream" : "application/json",
        }),
        "if-match": made.ifMatch,
        ...(made.key !== undefined && { "idempotency-key": made.key }),
      },
      body: requestBody === undefined ? undefined : json === undefined ? String(made.body) : JSON.stringify(made.body),
    }));
}

const encode = (value: unknown): string => encodeURIComponent(String(value).toWellFormed());

function toQuery(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${given.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&")}`;
}

interface Known {
  readonly find: FindSchema;
  readonly ids: Ids;
}

/** Values of a schema, now and then another one. */
function valueOf(schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: validOf(known.find(schema), known) }, { weight: 1, arbitrary: anyValue });
}

function validOf(schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((one) => valueOf(one, known)));
  const [type = "string"] = [schema.type].flat();
  return (byType[type] ?? textOf)(schema, known);
}

const byType: Readonly<Record<string, (schema: JsonSchema, known: Known) => fc.Arbitrary<unknown>>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: ({ minimum = -5, maximum = 1000 }) =>
    fc.oneof(
      fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) }),
      fc.constantFrom(0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER),
    ),
  number: () => fc.double({ noNaN: true, noDefaultInfinity: true }),
  array: ({ items = {}, minItems = 0, maxItems = 4 }, known) =>
    fc.array(valueOf(items, known), { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) }),
  object: ({ properties = {}, required = [] }, known) =>
    fc.record(Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valueOf(one, known)])), {
      requiredKeys: [...required],
    }),
};

function textOf({ format, pattern, maxLength = 100 }: JsonSchema, { ids }: Known): fc.Arbitrary<unknown> {
  if (format === "uuid") return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, fc.uuid());
  if (format === "email") return fc.emailAddress();
  const fitting = pattern === undefined ? [] : ids.filter((id) => new RegExp(pattern).test(id));
  if (fitting.length > 0) return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...fitting) }, anyText);
  const plain = fc.stringMatching(/^[a-z][a-z ]{0,12}[a-z]$/).map((text) => text.slice(0, maxLength));
  return fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: anyText });
}
