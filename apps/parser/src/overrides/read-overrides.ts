import { AppError } from "@attune/service-kit/app-error.ts";
import { commonOverrides } from "./common-overrides.ts";
import { nearestKey } from "./nearest-key.ts";
import type { Override, OverrideSet, OverrideValues } from "./override.ts";
import type { ParseOptions } from "./parse-options.ts";
import { type ReadingKey, readingKeys } from "./reading-keys.ts";

/** What the request's overrides say, all validated. */
export interface RequestOverrides {
  readonly options: ParseOptions;
  /** Values of the engines' own keys, with defaults, by engine. */
  readonly byEngine: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Addresses that the caller gave, with their keys: the guard judges each before an engine connects. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Common keys that change what is read, where the caller asks for something else than the default. */
  readonly readingKeys: readonly ReadingKey[];
}

/** Overrides of the engines, by engine name. */
export type EngineOverrides = ReadonlyMap<string, OverrideSet>;

/**
 * Validates `engine_overrides` against the common keys and those of all engines.
 * @throws AppError `OVERRIDE_UNKNOWN`, `OVERRIDE_INVALID`; the first fault in the order of the keys.
 */
export function readOverrides(given: Readonly<Record<string, string>>, engines: EngineOverrides): RequestOverrides {
  const declared = collectDeclared(engines);
  for (const key of Object.keys(given).sort()) assertAllowed(key, given[key] ?? "", declared);
  const byEngine = new Map([...engines].map(([name, set]) => [name, valuesOf(set, given)]));
  return {
    options: toParseOptions(valuesOf(commonOverrides, given)),
    byEngine,
    addresses: addressesIn(given, declared),
    readingKeys: readingKeys.filter((key) => isChanged(commonOverrides[key], given[key])),
  };
}

function collectDeclared(engines: EngineOverrides): ReadonlyMap<string, Override<unknown>> {
  const declared = new Map<string, Override<unknown>>(Object.entries(commonOverrides));
  for (const set of engines.values()) {
    for (const [key, override] of Object.entries(set)) declared.set(key, override);
  }
  return declared;
}

function assertAllowed(key: string, value: string, declared: ReadonlyMap<string, Override<unknown>>): void {
  const override = declared.get(key);
  if (override === undefined) {
    const nearest = nearestKey(key, [...declared.keys()]);
    const hint = nearest === undefined ? "" : ` Did you mean \`${nearest}\`?`;
    throw new AppError("OVERRIDE_UNKNOWN", { detail: `The key is \`${key.slice(0, 64)}\`.${hint}` });
  }
  if (override.parse(value) === undefined) {
    const shown = override.isSecret || override.isAddress ? "" : ` has the value \`${value.slice(0, 64)}\`, which`;
    throw new AppError("OVERRIDE_INVALID", { detail: `\`${key}\`${shown} must be: ${override.allowed}.` });
  }
}

function valuesOf<TSet extends OverrideSet>(set: TSet, given: Readonly<Record<string, string>>): OverrideValues<TSet> {
  const entries = Object.entries(set).map(([key, override]) => {
    const text = Object.hasOwn(given, key) ? given[key] : undefined;
    return [key, text === undefined ? override.fallback : override.parse(text)];
  });
  return Object.fromEntries(entries) as OverrideValues<TSet>;
}

function isChanged(override: Override<unknown>, text: string | undefined): boolean {
  return text !== undefined && JSON.stringify(override.parse(text)) !== JSON.stringify(override.fallback);
}

function addressesIn(
  given: Readonly<Record<string, string>>,
  declared: ReadonlyMap<string, Override<unknown>>,
): ReadonlyMap<string, string> {
  return new Map(Object.entries(given).filter(([key]) => declared.get(key)?.isAddress === true));
}

function toParseOptions(values: OverrideValues<typeof commonOverrides>): ParseOptions {
  return {
    read: {
      pages: values.pages,
      headersFooters: values.headers_footers,
      images: values.images,
      ...(values.quoted_text === "drop" && { quotedText: "drop" as const }),
      ...(values.boilerplate === "drop" && { boilerplate: "drop" as const }),
      ...(values.password !== undefined && { password: values.password }),
      ...(values.encoding !== undefined && { encoding: values.encoding }),
    },
    render: {
      outputFormat: values.output_format,
      tables: values.tables,
      images: values.images,
      pageMarkers: values.page_markers,
      frontMatter: values.front_matter,
      footnotes: values.footnotes,
      formulas: values.formulas,
      links: values.links,
    },
    ocr: values.ocr,
    ocrLanguages: values.ocr_languages,
    maxPages: values.max_pages,
    archiveDepth: values.archive_depth,
    timeoutMs: values.timeout_ms,
    fallback: values.fallback,
  };
}
