import { expect, test } from "vitest";
import { documentText } from "../../document/document-text.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import type { ReadOptions } from "../reader.ts";
import { readHtml } from "./read-html.ts";

async function read(html: string, rest: Partial<ReadOptions>): Promise<{ texts: string[]; warnings: string[] }> {
  const warnings: string[] = [];
  const document = await readHtml(
    { bytes: Buffer.from(html), fileName: "", format: "html" },
    {
      options: { pages: [], headersFooters: "drop", images: "placeholder", ...rest },
      budget: new Budget(defaultLimits),
      depth: 0,
      warn: (sentence) => warnings.push(sentence),
      readPart: () => Promise.reject(new Error("A page has no parts.")),
    },
  );
  return { texts: [...documentText(document.blocks)], warnings };
}

const story = `<p>${"A sentence of the story that the page tells. ".repeat(12)}</p>`;
const textOf = async (body: string) =>
  (await read(`<body>${body}`, { boilerplate: "drop" })).texts.map((text) => text.slice(0, 12));

test("a page keeps all that it shows unless the caller wants its furniture dropped", async () => {
  const { texts, warnings } = await read(`<body><nav>Home</nav>${story}<footer>Imprint</footer>`, {});
  expect([texts[0], texts.at(-1), warnings]).toEqual(["Home", "Imprint", []]);
});

test.each([
  ["navigation", "<nav><a href=/>Home</a> <a href=/a>About</a></nav>"],
  ["a landmark", "<div role=navigation>Home</div>"],
  ["head and foot of the site", "<header>Site</header>"],
  ["a cookie notice", '<div id="cookie-consent"><p>We value your privacy and much else, as is written here.</p></div>'],
  ["a list of links called so", '<ul class="related-posts"><li><a href=/1>One</a><li><a href=/2>Two</a></ul>'],
  ["a short part called so", "<div class=newsletter>Subscribe now!</div>"],
])("%s is left out and counted", async (_, furniture) => {
  const { texts, warnings } = await read(`<body>${furniture}${story}`, { boilerplate: "drop" });
  expect(texts).toHaveLength(1);
  expect(warnings[0]).toMatch(/^Navigation and other furniture of the page was left out \(words: \d+\)\.$/);
});

test("what stands outside of the one main element, or the one article, is left out", async () => {
  expect(await textOf(`<p>Outside.</p><main><h1>Title</h1>${story}</main><p>After.</p>`)).toEqual([
    "Title",
    "A sentence o",
  ]);
  expect(await textOf(`<p>Outside.</p><article><header>By Jane</header>${story}</article>`)).toEqual([
    "By Jane",
    "A sentence o",
  ]);
  expect(await textOf(`<article>One.</article><article>Two.</article>${story}`)).toHaveLength(3);
});

test("a main element that holds next to nothing is no main element", async () => {
  expect(await textOf(`<main>Loading…</main>${story}`)).toEqual(["Loading…", "A sentence o"]);
});

test("a part with much of the text of the page is not furniture, whatever it is called", async () => {
  expect(await textOf(`<div class="page sidebar-right">${story}${story}</div><p>End.</p>`)).toHaveLength(3);
  expect(await textOf(`${story}${story}${story}<div class=promo>${story}</div>`)).toHaveLength(4);
});

test("a page that is nothing but furniture is read whole", async () => {
  expect(await read("<body><nav>Home</nav>", { boilerplate: "drop" })).toEqual({ texts: ["Home"], warnings: [] });
});

test.each([
  '<div class="gmail_quote">On Monday Jane wrote: <blockquote>Shall we?</blockquote></div>',
  "<div class=moz-cite-prefix>Jane wrote:</div><blockquote type=cite>Shall we?</blockquote>",
  '<div id="divRplyFwdMsg">From: Jane</div>',
  '<div class="gmail_signature">Bob, Company</div>',
])("quoted mail and signatures are known by what mail programs call them: %s", async (quoted) => {
  const html = `<div>Yes, at ten.</div>${quoted}`;
  expect((await read(html, { quotedText: "drop" })).texts).toEqual(["Yes, at ten."]);
  expect((await read(html, {})).texts.length).toBeGreaterThan(1);
});

test("what a message forwards is its own text", async () => {
  const html = "<p>See below.</p><div class=gmail_quote>---------- Forwarded message ---------<p>The news.</p></div>";
  expect((await read(html, { quotedText: "drop" })).texts.at(-1)).toBe("The news.");
});

test("pages nested deep are judged without failing", async () => {
  const deep = "<div class=nav>".repeat(5000);
  expect((await read(`${deep}${story}`, { boilerplate: "drop" })).texts).toHaveLength(1);
});
