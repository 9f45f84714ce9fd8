import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryDocument } from "../arbitrary-document.ts";
import { normaliseDocument } from "../normalise-document.ts";
import { renderDocument } from "./render-document.ts";
import {
  footnoteStyles,
  formulaStyles,
  imageStyles,
  linkStyles,
  outputFormats,
  type RenderOptions,
  tableStyles,
} from "./render-options.ts";

const runs = { numRuns: 300 };

const arbitraryOptions: fc.Arbitrary<RenderOptions> = fc.record({
  outputFormat: fc.constantFrom(...outputFormats),
  tables: fc.constantFrom(...tableStyles),
  images: fc.constantFrom(...imageStyles),
  pageMarkers: fc.boolean(),
  frontMatter: fc.boolean(),
  footnotes: fc.constantFrom(...footnoteStyles),
  formulas: fc.constantFrom(...formulaStyles),
  links: fc.constantFrom(...linkStyles),
});

test("any document is written in any format without an error, and the same each time", () => {
  fc.assert(
    fc.property(arbitraryDocument("blocks"), arbitraryOptions, (document, options) => {
      const text = renderDocument(document, options);

      expect(renderDocument(document, options)).toBe(text);
      expect(text === "" || /[^\n]\n$/.test(text)).toBe(true);
    }),
    runs,
  );
});

test("HTML holds no element or address that could run", () => {
  const hostile = fc.constantFrom(
    "<script>alert(1)</script>",
    '" onerror="x',
    "javascript:alert(1)",
    "JaVa\tScript:x",
    "<!--",
  );
  fc.assert(
    fc.property(arbitraryDocument("blocks"), hostile, arbitraryOptions, (document, text, options) => {
      const blocks = [
        ...document.blocks,
        { type: "paragraph", inlines: [text, { type: "link", target: text, inlines: [text] }] },
        { type: "image", alt: text, reference: text },
        { type: "code", text, language: text },
        { type: "footnote", id: text, blocks: [{ type: "paragraph", inlines: [text] }] },
      ] as const;
      const html = renderDocument({ metadata: {}, blocks }, { ...options, outputFormat: "html" });

      expect(html).not.toMatch(/<script/i);
      expect(html.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\son\w+=/i);
      expect(html).not.toMatch(/(?:href|src)="\s*(?:javascript|vbscript|data:(?!image))/i);
    }),
    runs,
  );
});

test("Markdown written from unclean documents has no control characters", () => {
  fc.assert(
    fc.property(arbitraryDocument("blocks"), arbitraryOptions, (document, options) => {
      const markdown = renderDocument(normaliseDocument(document), { ...options, outputFormat: "markdown" });

      expect(markdown).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cs}\u00ad\u200b\ufeff]/u);
      expect(markdown).toBe(markdown.normalize("NFC"));
    }),
    runs,
  );
});
