/** The fields of one CSV record (RFC 4180), or undefined where a quote stands in the wrong place. */
export function parseCsvFields(text: string): string[] | undefined {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const field = text[at] === '"' ? quotedField(text, at) : plainField(text, at);
    if (field === undefined) return undefined;
    fields.push(field.value);
    if (field.end >= text.length) return fields;
    at = field.end + 1;
  }
}

interface Field {
  readonly value: string;
  /** Index of the comma after the field, or the length of the text. */
  readonly end: number;
}

function plainField(text: string, start: number): Field | undefined {
  const comma = text.indexOf(",", start);
  const end = comma < 0 ? text.length : comma;
  const value = text.slice(start, end);
  return value.includes('"') ? undefined : { value, end };
}

function quotedField(text: string, start: number): Field | undefined {
  const parts: string[] = [];
  let from = start + 1;
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', from)) {
    parts.push(text.slice(from, at));
    if (text[at + 1] !== '"') {
      const isEnd = at + 1 === text.length || text[at + 1] === ",";
      return isEnd ? { value: parts.join('"'), end: at + 1 } : undefined;
    }
    from = at + 2;
  }
  return undefined;
}
