/*
 * Which elements end others, after "The rules for parsing tokens in HTML content" of the HTML standard (13.2.6), as tables.
 */

export const voidElements: ReadonlySet<string> = new Set(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split(" "),
);

export const formattingElements: ReadonlySet<string> = new Set(
  "a b big code em font i nobr s small strike strong tt u".split(" "),
);

/** The standard's "special" elements: an end tag of an inline element does not reach past one. */
export const specialElements: ReadonlySet<string> = new Set(
  (
    "address applet article aside blockquote body button caption center col colgroup dd details dir div dl dt fieldset " +
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html iframe li listing main marquee " +
    "menu nav noframes noscript object ol p plaintext pre script section select style summary table tbody td template " +
    "textarea tfoot th thead title tr ul xmp"
  ).split(" "),
);

export const headElements: ReadonlySet<string> = new Set(
  "title meta link base basefont bgsound script style noscript template".split(" "),
);

/** An end tag of any other element does not reach past these. */
export const tableScope: ReadonlySet<string> = new Set("td th caption table template object button".split(" "));

export const tableParts: ReadonlySet<string> = new Set("table thead tbody tfoot tr td th caption colgroup".split(" "));

export interface ImpliedEnd {
  /** Open elements that a start tag ends, with everything inside them. */
  readonly closes: ReadonlySet<string>;
  /** Elements past which the search does not go. */
  readonly stopsAt: ReadonlySet<string>;
}

const rule = (closes: string, stopsAt: string): ImpliedEnd => ({
  closes: new Set(closes.split(" ")),
  stopsAt: new Set(stopsAt.split(" ")),
});

const paragraphEnd = rule("p", "button caption table td th template object applet marquee html select");
const itemScope = [...specialElements].filter((name) => !["address", "div", "p"].includes(name));
const itemRule = (closes: string): ImpliedEnd => {
  const closed = closes.split(" ");
  return { closes: new Set(closed), stopsAt: new Set(itemScope.filter((name) => !closed.includes(name))) };
};
const rowGroup = rule("thead tbody tfoot tr td th caption colgroup", "table template");
const cell = rule("td th", "tr table template");
const ruby = rule("rt rp rb", "ruby rtc");
const heading = rule("h1 h2 h3 h4 h5 h6 p", [...specialElements].filter((name) => !/^(?:h\d|p)$/.test(name)).join(" "));

/** What a start tag ends first, by its name. */
export const impliedEnds: ReadonlyMap<string, ImpliedEnd> = new Map([
  ...(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form header " +
    "hgroup hr listing main menu nav ol p plaintext pre section summary table ul xmp"
  )
    .split(" ")
    .map((name): [string, ImpliedEnd] => [name, paragraphEnd]),
  ...["h1", "h2", "h3", "h4", "h5", "h6"].map((name): [string, ImpliedEnd] => [name, heading]),
  ["li", itemRule("li")],
  ["dd", itemRule("dd dt")],
  ["dt", itemRule("dd dt")],
  ["tr", rule("tr td th caption colgroup", "table thead tbody tfoot template")],
  ["td", cell],
  ["th", cell],
  ["thead", rowGroup],
  ["tbody", rowGroup],
  ["tfoot", rowGroup],
  ["option", rule("option", "select datalist optgroup")],
  ["optgroup", rule("option optgroup", "select datalist")],
  ["button", rule("button", "table td th")],
  ["a", rule("a", [...specialElements].join(" "))],
  ["rt", ruby],
  ["rp", ruby],
  ["rb", ruby],
]);
