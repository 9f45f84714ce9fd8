import { bmpOf, gifOf, jpegOf, pngOf, pngTextFlood, tiffOf, webpOf } from "@attune/testkit/hostile/image-headers.ts";
import { makeDocx } from "@attune/testkit/make-ooxml.ts";
import { type HostileCase, testHostileFamily } from "./hostile-family.ts";

const hello = "<w:p><w:r><w:t>Hello world.</w:t></w:r></w:p>";
const picture = `<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="p"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;

type Picture = readonly [id: string, what: string, name: string, make: () => Uint8Array];

// Refused by their header, before a pixel is decoded.
const tooLarge: readonly Picture[] = [
  ["I1", "PNG of 50,000 by 50,000", "i1.png", () => pngOf(50_000, 50_000)],
  ["I2", "PNG of 2^31 - 1 by 2^31 - 1", "i2.png", () => pngOf(0x7fffffff, 0x7fffffff)],
  ["I4", "GIF of 65,535 by 65,535 in 50 bytes", "i4.gif", () => gifOf(65_535, 1)],
  ["I6", "TIFF of 100,000 by 100,000", "i6.tiff", () => tiffOf(100_000, false)],
  ["I12", "JPEG of 65,500 scans", "i12.jpg", () => jpegOf(65_500, 65_500)],
  ["I15", "WebP of the largest size", "i15.webp", () => webpOf()],
  ["I15b", "BMP of 2^31 - 1", "i15b.bmp", () => bmpOf(0x7fffffff)],
];

// Decoded as far as they can be, in the memory and time that one document may take.
const damaged: readonly Picture[] = [
  ["I3", "PNG whose text expands to 256 MiB", "i3.png", () => pngOf(9, 9, [pngTextFlood()])],
  ["I15c", "BMP that ends after its header", "i15c.bmp", () => bmpOf(3000)],
  ["I15d", "JPEG of 2,000 scans of nothing", "i15d.jpg", () => jpegOf(3000, 2000)],
];
const empty: readonly Picture[] = [
  ["I5", "GIF of 200,000 frames", "i5.gif", () => gifOf(9, 200_000)],
  ["I7", "TIFF whose pages go round", "i7.tiff", () => tiffOf(9, true)],
];

const expect = (pictures: readonly Picture[], expected: string): HostileCase[] =>
  pictures.map(([id, what, name, make]) => ({ id, what, name, make, expected }));

const cases: HostileCase[] = [
  ...expect(tooLarge, "LIMIT_EXCEEDED"),
  ...expect(damaged, "DOCUMENT_CORRUPT"),
  ...expect(empty, "TEXT_NOT_FOUND"),
  {
    id: "I8",
    what: "SVG of elements that use each other",
    name: "i8.svg",
    make: () =>
      `<svg xmlns="http://www.w3.org/2000/svg">${Array.from({ length: 20 }, (_, n) => `<g id="a${n}">${`<use href="#a${n + 1}"/>`.repeat(10)}</g>`).join("")}</svg>`,
    expected: { readBecause: "it is shown as it stands, nothing is drawn", content: /<use href="#a1"/ },
  },
  {
    id: "I9",
    what: "SVG with a picture that is a file",
    name: "i9.svg",
    make: () => `<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>`,
    expected: { readBecause: "it is shown as it stands, nothing is fetched", content: /passwd/, lacks: /root:/ },
  },
  {
    id: "I11",
    what: "SVG with a filter without end",
    name: "i11.svg",
    make: () =>
      `<svg xmlns="http://www.w3.org/2000/svg"><filter id="f"><feTurbulence numOctaves="2000000000"/></filter></svg>`,
    expected: { readBecause: "it is shown as it stands, nothing is drawn", content: /feTurbulence/ },
  },
  {
    id: "I16",
    what: "PostScript that would run",
    name: "i16.eps",
    make: () => "%!PS-Adobe-3.0 EPSF-3.0\n{ } loop (%pipe%id) (r) file\n",
    expected: { readBecause: "it is shown as text, never run", content: /pipe/, lacks: /uid=/ },
  },
  {
    id: "I17",
    what: "a picture bomb inside a Word document",
    name: "i17.docx",
    make: () =>
      makeDocx({
        body: hello + picture,
        links: [{ id: "p", kind: "image", target: "media/a.png" }],
        members: { "word/media/a.png": pngOf(50_000, 50_000, [pngTextFlood()]) },
      }),
    expected: { readBecause: "the picture is passed on as bytes, never decoded", content: /Hello world/ },
    overrides: { images: "data_uri" },
  },
  {
    id: "I18",
    what: "a page with pictures of the machine and of servers",
    name: "i18.html",
    make: () =>
      `<p>Hello world.</p><img src="file:///etc/passwd"><img src="http://127.0.0.1:1/x.png"><img src="data:image/png;base64,${"A".repeat(5_000_000)}">`,
    expected: { readBecause: "pages fetch nothing", content: /Hello world/, lacks: /root:|A{1000}/ },
  },
];

testHostileFamily({ family: "images" }, cases);
