import { AppError } from "@attune/service-kit/app-error.ts";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { expect, test } from "vitest";
import { walkXml } from "./walk-xml.ts";

type Event = readonly [kind: "open" | "close" | "text", value: string, attributes: readonly string[]];

function walk(xml: string): Event[] {
  const events: Event[] = [];
  walkXml(
    xml,
    {
      open: (name, attributes) => void events.push(["open", name, [...attributes.entries()].map(String)]),
      close: (name) => void events.push(["close", name, []]),
      text: (text) => void events.push(["text", text, []]),
    },
    { maxDepth: 256 },
  );
  return joinText(events);
}

/** The same by a conforming parser; undefined when it finds an error. */
function walkConformingly(xml: string): Event[] | undefined {
  const events: Event[] = [];
  const errors: Error[] = [];
  const parser = new SaxesParser();
  parser.on("error", (error) => void errors.push(error));
  parser.on(
    "opentag",
    ({ name, attributes }) => void events.push(["open", name, Object.entries(attributes).map(String)]),
  );
  parser.on("closetag", ({ name }) => void events.push(["close", name, []]));
  parser.on("text", (text) => void events.push(["text", text, []]));
  parser.on("cdata", (text) => void events.push(["text", text, []]));
  parser.write(xml).close();
  return errors.length > 0 ? undefined : joinText(events);
}

function joinText(events: readonly Event[]): Event[] {
  const joined: Event[] = [];
  let depth = 0;
  for (const event of events) {
    const last = joined.at(-1);
    if (event[0] === "text" && last?.[0] === "text") joined[joined.length - 1] = ["text", last[1] + event[1], []];
    else if (event[0] !== "text" || (depth > 0 && event[1] !== "")) joined.push(event);
    if (event[0] === "open") depth++;
    if (event[0] === "close") depth--;
  }
  return joined;
}

const name = fc.constantFrom("a", "b", "w:p", "long-name", "é", "x.y", "_z");
const characters = fc
  .array(
    fc.constantFrom(
      "a",
      "B",
      " ",
      "\n",
      "\r\n",
      "\r",
      "\t",
      ">",
      "'",
      "é",
      "😀",
      "&amp;",
      "&lt;",
      "&#65;",
      "&#x1F600;",
      "&#10;",
    ),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join(""));
const attributes = fc
  .uniqueArray(fc.tuple(name, characters, fc.constantFrom('"', "'")), { selector: ([key]) => key, maxLength: 4 })
  .map((list) => list.map(([key, value, quote]) => ` ${key}=${quote}${value.replaceAll(quote, "")}${quote}`).join(""));
const { element } = fc.letrec<{ element: string; node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    characters,
    fc.constantFrom("<!-- > & <b> -->", "<?go > ?>", "<![CDATA[<&]] ]]>"),
    tie("element"),
  ),
  element: fc
    .tuple(name, attributes, fc.array(tie("node"), { maxLength: 4 }), fc.boolean())
    .map(([tag, list, nodes, isShort]) =>
      nodes.length === 0 && isShort ? `<${tag}${list} />` : `<${tag}${list}>${nodes.join("")}</${tag}>`,
    ),
}));

test("well-formed XML is read as a conforming parser reads it", () => {
  fc.assert(
    fc.property(element, (xml) => {
      expect(walk(xml)).toEqual(walkConformingly(xml));
    }),
    { numRuns: 500 },
  );
});

/** What a walk comes to: whether every element was closed, or the reason it was refused. @throws anything else. */
function outcomeOf(xml: string): string {
  try {
    const kinds = walk(xml).map(([kind]) => kind);
    const countOf = (wanted: string): number => kinds.filter((kind) => kind === wanted).length;
    return countOf("open") === countOf("close") ? "balanced" : "unbalanced";
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.reason;
  }
}

test("whatever the text, a walk ends with balanced events or with an AppError", () => {
  const pieces = fc.constantFrom(..."<>/ab=\"' &#;?".split(""), "!--", "--", "![CDATA[", "]]", "!DOCTYPE", "xmlns:a");
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 40 }).map((list) => list.join("")),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(text, (xml) => {
      expect(["balanced", "MARKUP_REFUSED", "DOCUMENT_CORRUPT"]).toContain(outcomeOf(xml));
    }),
    { numRuns: 3000 },
  );
});

test("well-formed XML cut inside its root is never taken for whole", () => {
  fc.assert(
    fc.property(element, fc.nat(), (xml, at) => {
      expect(["MARKUP_REFUSED", "DOCUMENT_CORRUPT"]).toContain(outcomeOf(xml.slice(0, 1 + (at % (xml.length - 1)))));
    }),
    { numRuns: 500 },
  );
});
