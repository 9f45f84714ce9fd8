import { expect, test } from "vitest";
import type { Inline } from "../../../document/document.ts";
import { passageOf } from "./geometry.fixture.ts";
import { splitRunIns } from "./run-in-headings.ts";

const rest = " Rats were kept in cages under the usual conditions of light, and fed twice every day of the week.";
const withLead = (type: "strong" | "emphasis", lead: string) =>
  passageOf(lead + rest, { inlines: [{ type, inlines: [lead] }, rest] as Inline[] });
const texts = (passages: ReturnType<typeof passageOf>[]) =>
  splitRunIns(passages).map((block) => (block.kind === "text" ? block.text : ""));

test("a bold lead that ends with a full stop becomes a heading", () => {
  expect(texts([withLead("strong", "Animals.")])).toEqual(["Animals", rest.trim()]);
});

test("a numbered lead in italics becomes a heading", () => {
  expect(texts([withLead("emphasis", "3.1. Rosmarinus Genus.")])[0]).toBe("3.1. Rosmarinus Genus");
});

test("a stressed name after a numbered heading belongs to the text", () => {
  const [heading, text] = texts([withLead("emphasis", "3.1. Rosmarinus Genus. Rosmarinus")]);
  expect(heading).toBe("3.1. Rosmarinus Genus");
  expect(text).toMatch(/^Rosmarinus Rats were kept/);
});

test("a lead may hold words stressed twice", () => {
  const inlines: Inline[] = [
    { type: "strong", inlines: ["Cloning of "] },
    { type: "strong", inlines: [{ type: "emphasis", inlines: ["HMGR."] }] },
    rest,
  ];
  expect(texts([passageOf(`Cloning of HMGR.${rest}`, { inlines })])[0]).toBe("Cloning of HMGR");
});

test("one lead in italics is a stress, several are headings", () => {
  expect(texts([withLead("emphasis", "Animals.")])).toHaveLength(1);
  expect(texts(["Animals.", "Diets.", "Tissues."].map((lead) => withLead("emphasis", lead)))).toHaveLength(6);
});

test("labels with a colon, captions and references stay whole", () => {
  const references = passageOf("References");
  expect(texts([withLead("strong", "Keywords:"), withLead("strong", "Figure 1.")])).toHaveLength(2);
  expect(texts([references, withLead("strong", "Smith.")])).toHaveLength(2);
});

test("a lead may hold an index that stands upright", () => {
  const inlines: Inline[] = [
    { type: "strong", inlines: ["Oxygen (H"] },
    { type: "subscript", inlines: ["2"] },
    { type: "strong", inlines: ["O) assay."] },
    rest,
  ];
  expect(texts([passageOf(`Oxygen (H2O) assay.${rest}`, { inlines })])[0]).toBe("Oxygen (H2O) assay");
});

test("the parts of a summary that have headings of their own later are labels", () => {
  const summary = [withLead("strong", "Methods."), withLead("strong", "Results.")];
  expect(texts([...summary, passageOf("2. Methods", { page: 2 })])).toHaveLength(3);
});
