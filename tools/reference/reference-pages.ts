import { parserReasons, type ReasonEntry } from "@attune/contracts/errors/reasons.ts";
import * as engineModules from "../../apps/parser/src/engines.ts";
import type { EngineDefinition, Honours } from "../../apps/parser/src/engines/engine.ts";
import * as formatModules from "../../apps/parser/src/formats.ts";
import { commonOverrides } from "../../apps/parser/src/overrides/common-overrides.ts";
import type { OverrideSet } from "../../apps/parser/src/overrides/override.ts";
import type { Format } from "../../apps/parser/src/readers/format.ts";
import { configurationPages } from "./configuration-pages.ts";
import { page, quoted, table } from "./markdown.ts";
import { nodePages } from "./node-pages.ts";
import { restPages } from "./rest-pages.ts";

const engines: readonly EngineDefinition[] = Object.values(engineModules).sort(
  (a, b) => (a.rank ?? 99) - (b.rank ?? 99) || a.name.localeCompare(b.name),
);
const formats: readonly Format[] = Object.values(formatModules).sort((a: Format, b: Format) =>
  a.name.localeCompare(b.name),
);
/** The reference pages and `.env.example`, by path. */
export function referencePages(): Readonly<Record<string, string>> {
  return {
    ...configurationPages(),
    ...restPages(),
    ...nodePages(),
    "docs/reference/overrides.md": page("Overrides", overridesIntro, ...overrideTables()),
    "docs/reference/reasons.md": page("Reasons", reasonsIntro, ...reasonTables()),
    "docs/reference/formats.md": page("File types", formatsIntro, formatTable()),
    "docs/reference/engines.md": page("Parser engines", enginesIntro, ...engineSections()),
  };
}

const overridesIntro =
  "Keys of `ParseRequest.engine_overrides`. An unknown key or a value that is not allowed is refused with the allowed ones. Flags also take 1, yes, y, on and 0, no, n, off.";
const reasonsIntro =
  "Every failure carries one of these reasons: a failed document in `ParseResponse.message` as `REASON: sentence`, a failed call in its status and `google.rpc.ErrorInfo`.";
const formatsIntro =
  "The bytes of a file decide its type; `file_type` and the file's name are hints. `builtin` reads the types marked with •.";
const enginesIntro =
  "`parser_engine` names one; empty or `auto` takes the first in this order that reads the type and is available. GetEngines tells which are available now, and what the others lack.";

function overrideTables(): readonly string[] {
  const own = engines.filter(({ overrides }) => Object.keys(overrides).length > 0);
  return [
    "## Common",
    overrideTable(commonOverrides),
    ...own.flatMap(({ name, overrides }) => [`## ${name}`, overrideTable(overrides)]),
  ];
}

function overrideTable(overrides: OverrideSet): string {
  const rows = Object.entries(overrides).map(([key, { allowed, fallback, description, isSecret }]) => [
    `\`${key}\``,
    shownFallback(fallback),
    isSecret ? `${allowed} (kept secret)` : allowed,
    description,
  ]);
  return table(["Key", "Default", "Allowed", "Meaning"], rows);
}

function shownFallback(fallback: unknown): string {
  if (Array.isArray(fallback)) return fallback.length === 0 ? "" : `\`${fallback.join("+")}\``;
  return fallback === undefined ? "" : quoted(fallback);
}

function reasonTables(): readonly string[] {
  return (["document", "call"] as const).flatMap((scope) => [
    scope === "document" ? "## Of a document" : "## Of a call",
    table(
      ["Reason", "What happened", "What to do", "Worth retrying"],
      Object.entries<ReasonEntry>(parserReasons)
        .filter(([, entry]) => entry.scope === scope)
        .map(([reason, entry]) => [`\`${reason}\``, entry.sentence, entry.remedy, entry.retryable ? "yes" : "no"]),
    ),
  ]);
}

function formatTable(): string {
  const rows = formats.map(({ name, description, extensions, mediaTypes, load }) => [
    `\`${name}\``,
    description,
    extensions.map((extension) => `.${extension}`).join(" "),
    mediaTypes.join(" "),
    load === undefined ? "" : "•",
  ]);
  return table(["Type", "What it is", "Extensions", "Media types", "builtin"], rows);
}

function engineSections(): readonly string[] {
  return engines.flatMap(({ name, description, formats: reads, rank, settings, overrides, honours }) => [
    `## ${name}`,
    `${description}.`,
    [
      `- Reads: ${reads.join(", ")}`,
      `- Chosen without being named: ${rank === undefined ? "no" : "yes"}`,
      `- Settings: ${listOf(Object.keys(settings))}`,
      `- Overrides: ${listOf(Object.keys(overrides))}`,
      `- Follows, of the common overrides that change what is read: ${listOfHonours(honours)}`,
    ].join("\n"),
  ]);
}

function listOfHonours(honours: Honours): string {
  const shown = Object.entries(honours).map(([key, where]) =>
    where === true ? `\`${key}\`` : `\`${key}\` (${where.join(", ")})`,
  );
  return shown.length === 0 ? "none" : shown.join(", ");
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => `\`${name}\``).join(", ");
}
