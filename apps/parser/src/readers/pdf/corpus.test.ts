import { makePdf, pdfRule, pdfText, type PdfFont, type PdfSpec, type PdfTextSpec } from "@attune/testkit/make-pdf.ts";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** The PDF files of `corpus/pdf`; UPDATE_GOLDEN=1 writes them. Their expected Markdown stands beside them. */
const corpusPdfs: Readonly<Record<string, () => Uint8Array>> = {
  "two-columns.pdf": () => makePdf(twoColumns()),
  "headings-and-lists.pdf": () => makePdf(headingsAndLists()),
  "tables.pdf": () => makePdf(tables()),
  "links-and-code.pdf": () => makePdf(linksAndCode()),
  "rotated-and-hidden.pdf": () => makePdf(rotatedAndHidden()),
  "nested-lists-and-notes.pdf": () => makePdf(nestedListsAndNotes()),
};

const folder = join(import.meta.dirname, "../../../corpus/pdf");

test.each(Object.entries(corpusPdfs))("%s is the file that its specification makes", (name, make) => {
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), make());
  }
  expect(readFileSync(join(folder, name)).equals(make())).toBe(true);
});

interface Column {
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly font?: PdfFont;
  readonly leading?: number;
}

/** Operators that draw lines below one another. */
function lines(texts: readonly string[], { x, y, size = 10, font = "serif", leading = 12 }: Column): string {
  return texts.map((text, index) => pdfText(text, { x, y: y - index * leading, size, font })).join("");
}

function furniture(page: number): string {
  return (
    pdfText("Annals of Made-up Results 7 (2024)", { x: 72, y: 760, size: 8 }) +
    pdfText(`${page + 40}`, { x: 300, y: 30, size: 8 })
  );
}

const leftColumn = [
  "The first column of the page holds a para-",
  "graph whose words are broken at the ends of",
  "lines, and which goes on until it reaches the",
  "foot of the column, where it does not end but",
  "continues at the head of the other column, as",
];
const rightColumn = ["any reader would expect. Only then does the", "sentence end.", "    "];

function twoColumns(): PdfSpec {
  const title = pdfText("Reading Pages of Two Columns", { x: 150, y: 720, size: 18, font: "bold" });
  const authors = pdfText("Ann Author and Ben Writer", { x: 240, y: 696, size: 11 });
  const second = [
    "A second paragraph follows with an indent. It",
    "cites a source and a well-known fact about",
    "well-known things.",
  ];
  const next = [
    "The next page has the same head and foot, and",
    "its text goes on in two columns as before, so",
    "that nothing of the furniture of the pages is",
    "mistaken for text.",
  ];
  const page = (number: number, content: string) => ({ content: furniture(number) + content });
  return {
    information: {
      Title: "Reading Pages of Two Columns",
      Author: "Ann Author; Ben Writer",
      CreationDate: "D:20240229123000Z",
    },
    pages: [
      page(
        1,
        title +
          authors +
          pdfText("Introduction", { x: 72, y: 660, size: 12, font: "bold" }) +
          lines(leftColumn, { x: 72, y: 640 }) +
          lines(rightColumn.slice(0, 2), { x: 320, y: 660 }) +
          lines(second.slice(0, 1), { x: 332, y: 636 }) +
          lines(second.slice(1), { x: 320, y: 624 }) +
          pdfText("1", { x: 397, y: 616, size: 6 }),
      ),
      page(
        2,
        lines(next, { x: 72, y: 700 }) +
          lines(
            next.map((line) => line.replace("next page", "other column")),
            { x: 320, y: 700 },
          ),
      ),
      page(
        3,
        pdfText("Conclusion", { x: 72, y: 700, size: 12, font: "bold" }) +
          lines(["The last page says that all was read."], { x: 72, y: 680 }),
      ),
    ],
  };
}

function headingsAndLists(): PdfSpec {
  const heading = (text: string, { y, size = 14 }: { y: number; size?: number }) =>
    pdfText(text, { x: 72, y, size, font: "bold" });
  const body = [
    "Running text follows each of the headings, so that the size of",
    "the body is known and what is larger or bolder stands out.",
  ];
  return {
    outline: [
      { title: "1 Scope", page: 0 },
      { title: "2 Method", page: 0 },
    ],
    pages: [
      {
        content:
          heading("A Manual in Brief", { y: 730, size: 22 }) +
          heading("1 Scope", { y: 690 }) +
          lines(body, { x: 72, y: 670 }) +
          heading("1.1 Terms", { y: 630, size: 11 }) +
          lines(body, { x: 72, y: 612 }) +
          lines(["\x95 a bullet that begins a list", "\x95 another bullet of the same list"], { x: 90, y: 580 }) +
          heading("2 Method", { y: 540 }) +
          lines(body, { x: 72, y: 520 }) +
          lines(["1. Take the first step.", "2. Take the second step.", "3. Stop."], { x: 90, y: 484 }) +
          lines(["The manual ends with a last paragraph below the list."], { x: 72, y: 430 }),
      },
    ],
  };
}

function row(
  cells: readonly string[],
  { y, font = "serif", step = 120 }: { y: number; font?: PdfFont; step?: number },
): string {
  return cells
    .map((cell, index) => (cell === "" ? "" : pdfText(cell, { x: 80 + index * step, y, size: 9, font })))
    .join("");
}

function tables(): PdfSpec {
  const across = (y: number) => pdfRule([72, y], [500, y]);
  const grid =
    [420, 396, 360, 336].map(across).join("") + [72, 195, 500].map((x) => pdfRule([x, 420], [x, 336])).join("");
  return {
    pages: [
      {
        content:
          lines(["Two tables follow: one with lines across it, and one with a grid."], { x: 72, y: 740 }) +
          lines(["Table 1. Doses and counts."], { x: 72, y: 700, font: "bold" }) +
          across(690) +
          row(["Group", "Dose", "Count"], { y: 678, font: "bold" }) +
          across(672) +
          row(["Control", "0 mg", "14"], { y: 660 }) +
          row(["Low", "2 mg", "9"], { y: 646 }) +
          row(["High", "", "3"], { y: 632 }) +
          across(624) +
          lines(["Text stands between the tables and belongs to neither of them."], { x: 72, y: 590 }) +
          lines(["Table 2. Terms."], { x: 72, y: 432, font: "bold" }) +
          grid +
          row(["Term", "Meaning"], { y: 404, font: "bold", step: 123 }) +
          row(["glyph", "the shape of a character as"], { y: 380, step: 123 }) +
          row(["", "it is drawn"], { y: 368, step: 123 }) +
          row(["em", "the size of a font"], { y: 344, step: 123 }),
      },
    ],
  };
}

function linksAndCode(): PdfSpec {
  const code = ["def add(a, b):", "    return a + b"];
  return {
    pages: [
      {
        content:
          lines(["More is told on the project page, which is a link."], { x: 72, y: 740 }) +
          pdfText("This is said ", { x: 72, y: 704 }) +
          pdfText("with some stress", { x: 131, y: 704, font: "italic" }) +
          pdfText(", and this", { x: 206, y: 704 }) +
          pdfText("strongly indeed", { x: 72, y: 690, font: "bold" }) +
          pdfText("and then plainly on.", { x: 155, y: 690 }) +
          lines(["The program is short:"], { x: 72, y: 660 }) +
          lines(code, { x: 90, y: 636, font: "code", size: 9 }) +
          lines(["It needs nothing else."], { x: 72, y: 600 }),
        links: [{ box: [150, 736, 203, 750], uri: "https://example.org/project" }],
      },
    ],
  };
}

function rotatedAndHidden(): PdfSpec {
  const white = `1 1 1 rg ${pdfText("White words on white paper.", { x: 72, y: 500 })}0 g\n`;
  const invisible = `3 Tr ${pdfText("Words of no ink.", { x: 72, y: 480 })}0 Tr\n`;
  const outside = pdfText("Words beyond the edge.", { x: 2000, y: 460 });
  const onDark = `0 g 72 420 200 20 re f 1 1 1 rg ${pdfText("White words on a dark ground.", { x: 80, y: 426 })}0 g\n`;
  const sideways = `q 0 1 -1 0 580 300 cm ${pdfText("Written up the margin", { x: 0, y: 0, size: 8 })}Q\n`;
  const spec = (text: string): PdfTextSpec & { text: string } => ({ x: 72, y: 700, text });
  const upright = spec("This page is shown turned by a quarter, and read upright all the same.");
  return {
    pages: [
      {
        content:
          lines(["What can be seen is read."], { x: 72, y: 720 }) + white + invisible + outside + onDark + sideways,
      },
      { content: `q 0 1 -1 0 612 0 cm ${pdfText(upright.text, upright)}Q`.replace("72 700", "72 500"), rotate: 90 },
    ],
  };
}

function nestedListsAndNotes(): PdfSpec {
  const marked = (mark: string, text: string, { x, y }: { x: number; y: number }) =>
    pdfText(mark, { x, y, font: "serif" }) + pdfText(text, { x: x + 18, y, font: "serif" });
  const body = "The text of the page is long enough to show how wide its column is, and it has a note.";
  const raised = (mark: string, { x, y }: { x: number; y: number }) => pdfText(mark, { x, y, size: 6, font: "serif" });
  return {
    pages: [
      {
        content:
          lines([body], { x: 72, y: 730 }) +
          raised("1", { x: 415.5, y: 734 }) +
          marked("\x95", "A bullet stands at a tab before its text.", { x: 72, y: 700 }) +
          marked("\x96", "A dash is set in below it,", { x: 90, y: 686 }) +
          lines(["and its text goes on below itself."], { x: 108, y: 674 }) +
          marked("\x96", "Another dash follows.", { x: 90, y: 660 }) +
          marked("\x95", "The next bullet has two paragraphs.", { x: 72, y: 646 }) +
          lines(["This is the second of them, and belongs to the bullet."], { x: 90, y: 626 }) +
          marked("\x95", "The last bullet ends the list.", { x: 72, y: 606 }) +
          marked("1.", "A number comes first.", { x: 72, y: 570 }) +
          marked("a)", "A letter is set in.", { x: 90, y: 556 }) +
          marked("b)", "So is the next.", { x: 90, y: 542 }) +
          marked("2.", "The second number.", { x: 72, y: 528 }) +
          lines(["A paragraph stands below the lists, at the margin of the page, as the first one did."], {
            x: 72,
            y: 490,
          }) +
          raised("1", { x: 72, y: 84 }) +
          lines(["The note tells more than the text does."], { x: 76, y: 80, size: 8 }),
      },
    ],
  };
}
