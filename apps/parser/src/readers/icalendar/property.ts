import { decodeTransfer } from "../../containers/mime-transfer.ts";
import { decodeText } from "../../text/decode-text.ts";

export interface Property {
  /** Upper case. */
  readonly name: string;
  /** By upper-case name, without quotes; those that vCalendar 1.0 gives without a name are names with an empty value. */
  readonly parameters: ReadonlyMap<string, string>;
  /** As it stands in the file, unfolded. */
  readonly value: string;
}

const none: ReadonlyMap<string, string> = new Map();
// Parameters are short; a line whose value begins later is read as having none.
const maxHeadLength = 16_384;

/** A line `NAME;PARAMETER=value:value`, or undefined when it is none. */
export function parseProperty(line: string): Property | undefined {
  const start = /^[ \t]{0,40}([A-Za-z][A-Za-z0-9-]{0,60})[ \t]{0,8}(?=[;:])/.exec(line);
  if (start === null) return undefined;
  const found = scanParameters(line.slice(0, maxHeadLength), start[0].length);
  const colon = found?.colon ?? line.indexOf(":");
  if (colon < 0) return undefined;
  const name = (start[1] ?? "").toUpperCase();
  return { name, parameters: found?.parameters ?? none, value: line.slice(colon + 1) };
}

// Undefined when quotes are not closed or no colon follows.
function scanParameters(head: string, from: number): { parameters: typeof none; colon: number } | undefined {
  if (head[from] === ":") return { parameters: none, colon: from };
  const parameter = /;[ \t]{0,8}([\w.-]{1,60})[ \t]{0,8}(?:=((?:"[^"]*"|[^";:])*))?/y;
  const parameters = new Map<string, string>();
  parameter.lastIndex = from;
  let at = from;
  for (let match = parameter.exec(head); match !== null; match = parameter.exec(head)) {
    const [, name = "", value = ""] = match;
    parameters.set(name.toUpperCase(), unescapeParameter(value));
    at = parameter.lastIndex;
  }
  return head[at] === ":" ? { parameters, colon: at } : undefined;
}

// RFC 6868.
function unescapeParameter(value: string): string {
  const unquoted = value.replaceAll('"', "").trim();
  return unquoted.replace(/\^([n'^])/g, (_, mark: string) => (mark === "n" ? " " : mark === "'" ? '"' : "^"));
}

/** The text of a property, with line ends as `\n`. */
export function textOf(property: Property): string {
  const transfer = transferOf(property);
  if (transfer === undefined) return unescapeText(property.value);
  const charset = property.parameters.get("CHARSET");
  const bytes = decodeTransfer(Buffer.from(property.value), transfer);
  const { text } = decodeText(bytes, charset === undefined ? {} : { charset });
  return text.replace(/\r\n?/g, "\n").replace(/\\([;,])/g, "$1");
}

/** The encoding that a property says its value is in. */
export function transferOf({ parameters }: Property): "quoted-printable" | "base64" | undefined {
  const encoding = parameters.get("ENCODING")?.toUpperCase();
  if (encoding === "QUOTED-PRINTABLE" || parameters.has("QUOTED-PRINTABLE")) return "quoted-printable";
  return encoding === "BASE64" || encoding === "B" || parameters.has("BASE64") ? "base64" : undefined;
}

/** The texts of a property that holds several, separated by commas, or by semicolons as in vCalendar 1.0. */
export function textsOf(property: Property): string[] {
  if (transferOf(property) !== undefined) return trimmed(textOf(property).split(/[;,]/));
  return trimmed(splitTexts(property.value).map(unescapeText));
}

function splitTexts(value: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: mark, index } of value.matchAll(/\\[^]|[,;]/g)) {
    if (mark.length > 1) continue;
    pieces.push(value.slice(from, index));
    from = index + 1;
  }
  return [...pieces, value.slice(from)];
}

/** Without blanks around them, and without empty ones. */
export function trimmed(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim()).filter((text) => text !== "");
}

function unescapeText(value: string): string {
  return value.includes("\\")
    ? value.replace(/\\([nN;,\\:"])/g, (_, mark: string) => (mark === "n" || mark === "N" ? "\n" : mark))
    : value;
}
