/** A header such as `text/plain; charset=utf-8`. */
export interface StructuredValue {
  readonly value: string;
  /** By lower-case name; continuations and encodings of RFC 2231 resolved. The first of a name counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

const parameterPattern = /;\s*([^\s=;"]{1,200})\s*=\s*(?:"((?:[^"\\]|\\[\s\S])*)"?|([^;]*))/g;

/** Takes a structured header apart, forgiving what mailers get wrong. Linear. */
export function parseHeaderValue(header: string): StructuredValue {
  const semicolonAt = header.indexOf(";");
  const value = (semicolonAt === -1 ? header : header.slice(0, semicolonAt)).replace(/\([^()]*\)/g, "").trim();
  const raw = new Map<string, string>();
  if (semicolonAt !== -1) {
    for (const [, name, quoted, token] of header.slice(semicolonAt).matchAll(parameterPattern)) {
      const key = (name ?? "").toLowerCase();
      const text = quoted === undefined ? (token ?? "").trim() : quoted.replace(/\\(["\\])/g, "$1");
      if (!raw.has(key)) raw.set(key, text);
    }
  }
  return { value, parameters: joinContinuations(raw) };
}

interface Section {
  readonly order: number;
  readonly text: string;
  readonly isEncoded: boolean;
}

// RFC 2231: `name*0*=utf-8''%41; name*1="b"` is `name=Ab`.
function joinContinuations(raw: ReadonlyMap<string, string>): Map<string, string> {
  const parameters = new Map<string, string>();
  const sections = new Map<string, Section[]>();
  for (const [key, text] of raw) {
    const match = /^([^*]+)(?:\*(\d{1,4}))?(\*?)$/.exec(key);
    const name = match?.[1];
    if (name === undefined) continue;
    if (name === key) parameters.set(key, text);
    else {
      const list = sections.get(name) ?? [];
      list.push({ order: Number(match?.[2] ?? 0), text, isEncoded: match?.[3] === "*" });
      sections.set(name, list);
    }
  }
  for (const [name, list] of sections) parameters.set(name, joinSections(list));
  return parameters;
}

function joinSections(sections: Section[]): string {
  sections.sort((a, b) => a.order - b.order);
  const first = sections[0];
  const charset = first?.isEncoded === true ? /^([^']*)'[^']*'/.exec(first.text) : null;
  const bytes = sections.map(({ text, isEncoded }, index) => {
    const body = index === 0 && charset !== null ? text.slice(charset[0].length) : text;
    return isEncoded ? percentDecode(body) : Buffer.from(body, "utf8");
  });
  return decode(Buffer.concat(bytes), charset?.[1] || "utf-8");
}

function percentDecode(text: string): Buffer {
  const latin1 = text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(latin1, "latin1");
}

function decode(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // not a label of the Encoding standard
  }
}
