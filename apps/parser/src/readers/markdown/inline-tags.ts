/** One tag of inline HTML. */
export interface InlineTag {
  readonly name: string;
  readonly isClosing: boolean;
  readonly source: string;
}

/** The tag that a piece of inline HTML is; undefined for comments, declarations and processing instructions. */
export function parseInlineTag(html: string): InlineTag | undefined {
  const match = /^<(\/?)([A-Za-z][\w-]*)/.exec(html);
  return match === null
    ? undefined
    : { name: (match[2] ?? "").toLowerCase(), isClosing: match[1] === "/", source: html };
}

/** The value of an attribute as written, entities decoded by `decode`; undefined when absent. */
export function attributeOf({ source }: InlineTag, name: string): string | undefined {
  const attribute = /\s([A-Za-z_:][\w.:-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
  for (const [, found, double, single, bare] of source.matchAll(attribute))
    if (found?.toLowerCase() === name) return decodeEntities(double ?? single ?? bare ?? "");
  return undefined;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

// Attributes of inline tags are addresses and short texts, which use no others.
function decodeEntities(text: string): string {
  return text.replaceAll(/&(#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-z]+);/g, (whole, name: string) => {
    if (!name.startsWith("#")) return entities[name] ?? whole;
    const code = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/**
 * Elements of HTML that text may have around it. What looks like a tag but is none of these, such as the `<int>` of
 * `vector<int>`, is text.
 */
export const htmlElements: ReadonlySet<string> = new Set(
  (
    "a abbr acronym address area article aside audio b base bdi bdo big blockquote body br button canvas caption center cite " +
    "code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer " +
    "form frame frameset h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark " +
    "math menu meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s samp " +
    "script section select small source span strike strong style sub summary sup svg table tbody td template textarea tfoot " +
    "th thead time title tr track tt u ul var video wbr"
  ).split(" "),
);
