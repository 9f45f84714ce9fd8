import { firstFreeObject, makePdf, pdfText, type PdfSpec } from "@attune/testkit/make-pdf.ts";
import { expect, test } from "vitest";
import { documentText } from "../../document/document-text.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readPdf } from "./read-pdf.ts";

const hello = pdfText("Hello world of text.", { x: 72, y: 400 });
const secret = pdfText("Secret words here.", { x: 72, y: 300 });
const hidden = "16 characters that cannot be seen on the page were left out";

async function read(bytes: Uint8Array): Promise<{ texts: string[]; warnings: string[] }> {
  const warnings: string[] = [];
  const document = await readPdf(
    { bytes, fileName: "a.pdf", format: "pdf" },
    {
      options: { pages: [], headersFooters: "drop", images: "placeholder" },
      budget: new Budget(defaultLimits),
      depth: 0,
      warn: (sentence) => warnings.push(sentence),
      readPart: () => Promise.reject(new Error("A PDF has no parts.")),
    },
  );
  return { texts: [...documentText(document.blocks)], warnings };
}

const onePage = (content: string, rest: Partial<PdfSpec> = {}) => makePdf({ pages: [{ content }], ...rest });
const formXObject = (content: string) =>
  `<< /Type /XObject /Subtype /Form /BBox [0 0 10 10] /Resources << /Font << /regular 5 0 R >> >> /Length ${content.length} >>\nstream\n${content}\nendstream`;
const firstFree = firstFreeObject({ pages: [{ content: "" }] });

/** A page with a layer, and what the catalog says of it. */
function layered(state: string): Uint8Array {
  const rest = { resources: `/Properties << /Layer ${firstFree} 0 R >>`, objects: ["<< /Type /OCG /Name (Layer) >>"] };
  const text = Buffer.from(onePage(`${hello}/OC /Layer BDC ${secret} EMC`, rest)).toString("latin1");
  const catalog = `<< /Type /Catalog /OCProperties << /OCGs [${firstFree} 0 R] /D << ${state} >> >>`;
  return Buffer.from(text.replace("<< /Type /Catalog", catalog), "latin1");
}

test.each([
  ["clipped away", () => onePage(`${hello}q 0 0 10 10 re W n ${secret} Q`)],
  ["clipped to nothing", () => onePage(`${hello}q 0 0 m W n ${secret} Q`)],
  ["nothing but a clip path", () => onePage(`${hello}7 Tr ${secret}`)],
  [
    "outside of the box of its form",
    () => {
      return onePage(`${hello}/X Do`, {
        resources: `/XObject << /X ${firstFree} 0 R >>`,
        objects: [formXObject(secret)],
      });
    },
  ],
  ["of no size", () => onePage(hello + secret.replace("10 Tf", "0 Tf"))],
  ["shrunk to nothing", () => onePage(`${hello}q 0.01 0 0 0.01 0 0 cm ${secret} Q`)],
  [
    "wholly transparent",
    () => onePage(`${hello}/T gs ${secret}`, { resources: "/ExtGState << /T << /ca 0 /CA 0 >> >>" }),
  ],
  ["white in CMYK", () => onePage(`${hello}0 0 0 0 k ${secret}`)],
  ["on a layer that is off", () => layered(`/OFF [${firstFree} 0 R]`)],
  ["on a layer of a base that is off", () => layered("/BaseState /OFF")],
])("text that is %s is left out and counted", async (_, make) => {
  expect(await read(make())).toEqual({ texts: ["Hello world of text."], warnings: [hidden] });
});

test.each([
  ["inside its clip path", () => onePage(`${hello}q 70 290 200 30 re W n ${secret} Q`)],
  ["on a layer that is on", () => layered(`/ON [${firstFree} 0 R]`)],
  ["filled and outlined", () => onePage(`${hello}2 Tr ${secret}`)],
])("text that is %s is read", async (_, make) => {
  expect(await read(make())).toEqual({ texts: ["Hello world of text.", "Secret words here."], warnings: [] });
});

test("text hidden below text that shows is left out whole", async () => {
  const below = pdfText("Secret words", { x: 72, y: 400 }) + pdfText("of another page", { x: 72, y: 360 });
  const { texts } = await read(onePage(`${hello}q 0 0 10 10 re W n ${below} Q`));
  expect(texts).toEqual(["Hello world of text."]);
});

test("of a form that is moved and scaled, what its box holds is read and the rest is not, even behind text that shows", async () => {
  const figure = pdfText("Secret", { x: 40, y: 220 }) + pdfText("Label of a figure.", { x: 36, y: 150 });
  const form = formXObject(figure).replace("[0 0 10 10]", "[30 140 200 170]");
  const bytes = onePage(`${hello}q 2 0 0 2 -10 -40 cm /X Do Q`, {
    resources: `/XObject << /X ${firstFree} 0 R >>`,
    objects: [form],
  });

  expect(await read(bytes)).toEqual({
    texts: ["Hello world of text.", "Label of a figure."],
    warnings: ["6 characters that cannot be seen on the page were left out"],
  });
});
