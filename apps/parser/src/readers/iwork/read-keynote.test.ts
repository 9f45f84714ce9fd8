import { AppError } from "@attune/service-kit/app-error.ts";
import { makeZip } from "@attune/testkit/make-zip.ts";
import { describe, expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import { expandSnappy } from "./expand-snappy.ts";
import { bytesField, makeChunk, makePart, makeParts, reference, type SlideParts } from "./keynote.fixture.ts";

const zip = (parts: Record<string, Buffer>): Buffer =>
  makeZip(Object.entries(parts).map(([name, bytes]) => ({ name, bytes })));

async function read(file: readonly SlideParts[] | Buffer) {
  const bytes = Buffer.isBuffer(file) ? file : zip(makeParts(file));
  const options = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
  const input = { bytes, fileName: "a.key", format: "keynote" };
  const { document, warnings } = await readSource(input, options, new Budget(defaultLimits));
  return { blocks: document.blocks.filter(({ type }) => type !== "pageBreak"), warnings };
}

const say = (...inlines: readonly unknown[]) => ({ type: "paragraph", inlines });

describe("slides", () => {
  test("have a title, texts and notes, in the order in which they are shown", async () => {
    const { blocks } = await read([
      { title: "The harbour\nin May", body: "one\ntwo\u2028three", box: "\ufffcbox", notes: "say it" },
      { title: "Second" },
    ]);

    expect(blocks).toEqual([
      { type: "heading", level: 1, inlines: ["The harbour", " ", "in May"] },
      say("one"),
      say("two", { type: "lineBreak" }, "three"),
      say("box"),
      { type: "quote", blocks: [say({ type: "strong", inlines: ["Notes:"] }), say("say it")] },
      { type: "heading", level: 1, inlines: ["Second"] },
    ]);
  });

  test("have pictures; tables and charts are told", async () => {
    const { blocks, warnings } = await read([{ others: [3005, 6000, 6000, 5021] }]);

    expect(blocks).toEqual([{ type: "image", alt: "" }]);
    expect(warnings.slice(1)).toEqual([
      "Tables were left out (2). Export the presentation as .pptx for them.",
      "Charts were left out (1). Export the presentation as .pptx for them.",
    ]);
  });

  test("may lie in an archive inside the archive", async () => {
    const inner = zip(makeParts([{ title: "Inner" }]));

    expect((await read(zip({ "Presentation.key/Index.zip": inner }))).blocks).toMatchObject([{ inlines: ["Inner"] }]);
  });
});

describe("parts made to harm", () => {
  test("a presentation protected by a password is refused, one without slides is corrupt", async () => {
    const parts = makeParts([{ title: "x" }]);

    await expect(read(zip({ ...parts, ".iwpv2": Buffer.from("x") }))).rejects.toMatchObject({
      reason: "ENCRYPTION_UNSUPPORTED",
    });
    await expect(read([])).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });

  test("objects that lead to one another end", async () => {
    const parts = makeParts([{ title: "x" }]);
    const circle = makePart([
      { id: 1000, type: 5, body: Buffer.concat([reference(7, 7), reference(7, 1000)]) },
      { id: 7, type: 7, body: Buffer.concat([reference(1, 8), reference(1, 7)]) },
      { id: 8, type: 2001, body: Buffer.concat([bytesField(3, "once"), reference(4, 7)]) },
    ]);

    expect((await read(zip({ ...parts, "Index/Slide-0.iwa": circle }))).blocks).toEqual([say("once")]);
  });

  test("blocks that claim to expand further than they can are corrupt", async () => {
    const bomb = makeChunk(Buffer.from("ffffffff07fe0100", "hex"));

    await expect(read(zip({ "Index/Document.iwa": bomb }))).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });

  test("cut or changed anywhere, parts are read or refused", async () => {
    const parts = makeParts([{ title: "title", body: "body" }]);
    const part = parts["Index/Slide-0.iwa"] ?? Buffer.alloc(0);
    for (let at = 0; at < part.length; at++) {
      const changed = Buffer.from(part);
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      for (const bytes of [changed, part.subarray(0, at)]) {
        const fault = await read(zip({ ...parts, "Index/Slide-0.iwa": bytes })).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(fault === undefined || fault instanceof AppError).toBe(true);
      }
    }
  });
});

describe("Snappy", () => {
  test("copies of one, two and four bytes of offset, over what they write themselves too", () => {
    const block = Buffer.from([12, 4, 97, 98, 1, 2, 18, 4, 0, 3, 1, 0, 0, 0]);

    expect(expandSnappy(block).toString()).toBe("abababababaa".slice(0, 12));
  });
});
