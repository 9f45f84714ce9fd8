import { expect, test } from "vitest";
import { address, flag, headerSecret, secret } from "./override.ts";
import { parsePageRanges } from "./page-ranges.ts";
import { readOverrides } from "./read-overrides.ts";

const engines = new Map([
  [
    "mineru",
    { mineru_endpoint: address("Where."), mineru_api_key: secret("Key."), mineru_enable_table: flag(true, "Tables.") },
  ],
]);

test("no overrides give the defaults", () => {
  const { options, byEngine } = readOverrides({}, engines);

  expect(options.render).toMatchObject({ outputFormat: "markdown", tables: "auto", pageMarkers: false });
  expect(options.read).toEqual({ pages: [], headersFooters: "drop", images: "placeholder" });
  expect(byEngine.get("mineru")).toEqual({
    mineru_endpoint: undefined,
    mineru_api_key: undefined,
    mineru_enable_table: true,
  });
});

test("values are read without regard to case and surrounding space", () => {
  const { options, byEngine } = readOverrides(
    { output_format: " HTML ", pages: "7,1-3", page_markers: "Yes", mineru_enable_table: "off" },
    engines,
  );

  expect(options.render).toMatchObject({ outputFormat: "html", pageMarkers: true });
  expect(options.read.pages).toEqual([
    { first: 1, last: 3 },
    { first: 7, last: 7 },
  ]);
  expect(byEngine.get("mineru")?.["mineru_enable_table"]).toBe(false);
});

test("an unknown key is refused with the nearest known one", () => {
  expect(() => readOverrides({ ouput_format: "html" }, engines)).toThrow(
    "OVERRIDE_UNKNOWN: engine_overrides has a key this service does not know. The key is `ouput_format`. Did you mean `output_format`?",
  );
  expect(() => readOverrides({ "mineru-endpont": "http://x/" }, engines)).toThrow(/Did you mean `mineru_endpoint`\?/);
  expect(() => readOverrides({ colour: "red" }, engines)).not.toThrow(/Did you mean/);
  expect(() => readOverrides({ __proto__x: "1", constructor: "1" }, engines)).toThrow(/`__proto__x`|`constructor`/);
});

test("a value that is not allowed is refused with the allowed ones, and a secret is not repeated", () => {
  expect(() => readOverrides({ tables: "latex" }, engines)).toThrow(
    "`tables` has the value `latex`, which must be: auto, markdown, html.",
  );
  const long = `hush${"x".repeat(5000)}`;
  expect(() => readOverrides({ password: long }, engines)).toThrow(/`password` must be: any text of at most/);
  expect(() => readOverrides({ password: long }, engines)).not.toThrow(/hush/);
});

test("addresses are handed out for the guard", () => {
  expect([...readOverrides({ mineru_endpoint: "http://10.0.0.1:8000" }, engines).addresses]).toEqual([
    ["mineru_endpoint", "http://10.0.0.1:8000"],
  ]);
  expect(() => readOverrides({ mineru_endpoint: "file:///etc/passwd" }, engines)).toThrow(/OVERRIDE_INVALID/);
});

test("keys that travel in a header are visible ASCII, and are not repeated when they are not", () => {
  const keyed = new Map([["tika", { tika_key: headerSecret("Key.") }]]);

  for (const key of ["hush\r\nx-other: 1", "hush hush", "hüsh", "", "x".repeat(4097)]) {
    expect(() => readOverrides({ tika_key: key }, keyed)).toThrow(/^OVERRIDE_INVALID: .*`tika_key` must be: /);
    expect(() => readOverrides({ tika_key: key }, keyed)).not.toThrow(/hush/);
  }
  expect(readOverrides({ tika_key: "~!hush" }, keyed).byEngine.get("tika")).toEqual({ tika_key: "~!hush" });
});

test("the keys that change what is read are told when they ask for something else than the default", () => {
  expect(readOverrides({}, engines).readingKeys).toEqual([]);
  expect(readOverrides({ ocr: "auto", tables: "html", ocr_languages: "eng" }, engines).readingKeys).toEqual([]);
  expect(readOverrides({ pages: "1", ocr: "never", password: "" }, engines).readingKeys).toEqual([
    "pages",
    "password",
    "ocr",
  ]);
});

test.each([
  ["1", [{ first: 1, last: 1 }]],
  ["2-4,3-6,7", [{ first: 2, last: 7 }]],
  ["12-", [{ first: 12, last: 10_000_000 }]],
  ["0", undefined],
  ["4-2", undefined],
  ["1,,2", undefined],
  ["", undefined],
  ["1-2-3", undefined],
])("pages %s", (given, expected) => {
  expect(parsePageRanges(given)).toEqual(expected);
});
