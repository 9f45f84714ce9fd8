import { attribute, type HtmlElement, type HtmlNode } from "./html-node.ts";

/** Share of the words of a page that its one main element must hold to be taken for all there is to read. */
const minMainShare = 0.25;
/** A part with more of the words of the page than this is the page, whatever it is called. */
const maxShare = 0.3;
/** A part called like furniture is such when so much of it are links, or when it is no longer than this. */
const minLinkShare = 0.5;
const maxWords = 60;

const landmarks = new Set(["navigation", "banner", "contentinfo", "search", "complementary", "alertdialog", "toolbar"]);
/** Furniture of the page, but head and foot of an article within one. */
const edges = new Set(["header", "footer", "aside"]);
const containers = new Set("div section ul ol form p table span dialog figure a header footer aside".split(" "));
const furnitureName =
  /(?:^|[-_\s])(?:nav|navbar|navigation|menu|breadcrumbs?|sidebar|newsletter|subscribe|share|sharing|social|advert|advertisement|ads?|adsense|sponsor|sponsored|promo|related|recommended|popup|modal|masthead|skip|skiplink|pagination|pager|footer|toolbar|print|login|signup)(?:$|[-_\s])/i;
const noticeName = /(?:^|[-_\s])(?:cookies?|consent|gdpr|ccpa|onetrust|cookiebot|cmp)(?:$|[-_\s])/i;

interface Measure {
  words: number;
  linkWords: number;
}

/**
 * The elements of a web page that are not what it is about: navigation, heads and feet of the site, cookie notices, shares
 * and advertisements, judged by what they call themselves and how much of them are links; outside of the one main element,
 * everything. Conservative: a page that does not tell keeps all it has.
 */
export function findBoilerplate(root: HtmlElement): ReadonlySet<HtmlElement> {
  const measures = new Map<HtmlElement, Measure>();
  const total = measure(root, { isInLink: false, measures }).words;
  const main = findMain(root, measures, total);
  const found = new Set<HtmlElement>();
  visit(root, { isInside: false });
  return found;

  function visit(element: HtmlElement, { isInside }: { readonly isInside: boolean }): void {
    for (const child of element.children) {
      if (typeof child === "string") continue;
      if (isBoilerplate(child, isInside)) found.add(child);
      else
        visit(child, {
          isInside: isInside || child.name === "article" || child.name === "main" || child === main?.at(-1),
        });
    }
  }

  function isBoilerplate(element: HtmlElement, isInside: boolean): boolean {
    if (element.name === "head" || element.name === "body") return false;
    if (main !== undefined && !isInside && !main.includes(element)) return true;
    const measured = measures.get(element) ?? { words: 0, linkWords: 0 };
    return measured.words <= total * maxShare && isFurniture(element, measured, isInside);
  }
}

function isFurniture(element: HtmlElement, { words, linkWords }: Measure, isInside: boolean): boolean {
  if (element.name === "nav" || landmarks.has(attribute(element, "role").toLowerCase())) return true;
  if (edges.has(element.name) && !isInside) return true;
  if (!containers.has(element.name)) return false;
  const name = `${attribute(element, "class")} ${attribute(element, "id")}`;
  if (noticeName.test(name)) return true;
  return furnitureName.test(name) && (linkWords >= words * minLinkShare || words <= maxWords);
}

function measure(
  element: HtmlElement,
  { isInLink, measures }: { readonly isInLink: boolean; readonly measures: Map<HtmlElement, Measure> },
): Measure {
  const sum: Measure = { words: 0, linkWords: 0 };
  for (const child of element.children) {
    const part = measureNode(child, isInLink, measures);
    sum.words += part.words;
    sum.linkWords += part.linkWords;
  }
  measures.set(element, sum);
  return sum;
}

function measureNode(node: HtmlNode, isInLink: boolean, measures: Map<HtmlElement, Measure>): Measure {
  if (typeof node !== "string") {
    if (node.name === "script" || node.name === "style") return { words: 0, linkWords: 0 };
    return measure(node, { isInLink: isInLink || node.name === "a", measures });
  }
  const words = countWords(node);
  return { words, linkWords: isInLink ? words : 0 };
}

/** Words parted by spaces; of scripts without spaces two characters are about a word. */
export function countWords(text: string): number {
  const ideographs = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu)?.length ?? 0;
  return (text.match(/\S+/g)?.length ?? 0) + Math.floor(ideographs / 2);
}

// The path to the one main element, or the one article, that holds enough of the page.
function findMain(
  root: HtmlElement,
  measures: ReadonlyMap<HtmlElement, Measure>,
  total: number,
): readonly HtmlElement[] | undefined {
  for (const isMain of [isMainElement, ({ name }: HtmlElement) => name === "article"]) {
    const paths = pathsTo(root, isMain);
    const [path] = paths;
    const only = path?.at(-1);
    if (paths.length !== 1 || only === undefined) continue;
    if ((measures.get(only)?.words ?? 0) >= total * minMainShare) return path;
  }
  return undefined;
}

function isMainElement(element: HtmlElement): boolean {
  return element.name === "main" || attribute(element, "role").toLowerCase() === "main";
}

function pathsTo(root: HtmlElement, isWanted: (element: HtmlElement) => boolean): HtmlElement[][] {
  const paths: HtmlElement[][] = [];
  const path: HtmlElement[] = [];
  visit(root);
  return paths;

  function visit(element: HtmlElement): void {
    // Two are one too many.
    if (paths.length > 1) return;
    path.push(element);
    if (isWanted(element)) paths.push([...path]);
    else for (const child of element.children) if (typeof child !== "string") visit(child);
    path.pop();
  }
}
