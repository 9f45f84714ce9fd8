import { makeCompound } from "@attune/testkit/make-encrypted-package.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { describe, expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import {
  drawing,
  group,
  longs,
  makePresentation,
  packPresentation,
  packStream,
  record,
  shape,
  type Streams,
  text,
} from "./presentation.fixture.ts";
import { recordType } from "./records.ts";

async function read(file: Buffer | Streams) {
  const bytes = Buffer.isBuffer(file) ? file : makeCompound(file);
  const input = { bytes, fileName: "a.ppt", format: "ppt" };
  const options = { pages: [], headersFooters: "drop", images: "data_uri" } as const;
  const { document, warnings } = await readSource(input, options, new Budget(defaultLimits));
  return { blocks: document.blocks.filter(({ type }) => type !== "pageBreak"), warnings };
}

const words = (said: string): Buffer => shape({ box: [0, 0, 9, 9], text: text(4, said) });
const paragraph = (said: string) => ({ type: "paragraph", inlines: [said] });
const plain = makeCompound(makePresentation({ slides: [{ shapes: [words("first")] }, { shapes: [words("second")] }] }));

describe("damaged files", () => {
  test("without a list of slides, slides are read as they lie in the file, and this is told", async () => {
    const damaged = Buffer.from(plain);
    const header = Buffer.from([0x0f, 0, 0xe8, 0x03]);
    damaged.fill(0, damaged.indexOf(header), damaged.indexOf(header) + 8);

    expect(await read(damaged)).toEqual({
      blocks: [paragraph("first"), paragraph("second")],
      warnings: [expect.stringContaining("The list of slides is damaged")],
    });
  });

  test("a slide whose object is missing has its outline, and this is told", async () => {
    const entry = record(recordType.slidePersist, longs(77, 0, 0, 256, 0));
    const ok = record(recordType.slidePersist, longs(2, 0, 0, 257, 0));
    const list = record(recordType.slideList, [entry, text(1, "outline"), ok]);
    const slide = record(recordType.slide, [drawing([words("ok")])]);

    expect(await read(packStream([record(recordType.document, [list]), slide]))).toEqual({
      blocks: [paragraph("outline"), paragraph("ok")],
      warnings: [expect.stringMatching(/only the text of their outline, if any: 1\.$/)],
    });
  });

  test("the user's record may lie: the last edit is found without it", async () => {
    const lying = Buffer.from(plain);
    const at = lying.indexOf(longs(20, 0xe391c05f));
    lying.writeUInt32LE(0xfffffff0, at + 8);

    expect((await read(lying)).blocks).toEqual([paragraph("first"), paragraph("second")]);
  });

  test("a stream of noise, or one without anything, is corrupt", async () => {
    const noise = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 251));

    await expect(read(packPresentation(noise, 0))).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
    await expect(read(packPresentation(Buffer.alloc(0), 0))).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });

  test("cut or changed anywhere, it is read or refused, never worse", async () => {
    for (let at = 512; at < plain.length; at += 149) {
      const changed = Buffer.from(plain);
      changed.writeUInt8((changed.readUInt8(at) + 0x7f) & 255, at);
      for (const bytes of [changed, plain.subarray(0, at)]) {
        const fault = await read(bytes).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(fault === undefined || fault instanceof AppError).toBe(true);
      }
    }
  });
});

describe("files made to harm", () => {
  test("edits and directories in a circle end", async () => {
    const directory = record(recordType.persistDirectory, longs((1 << 20) | 1, 0));
    const edit = (last: number): Buffer => record(recordType.userEdit, longs(0, 0, last, 0, 1, 0, 0));
    const stream = Buffer.concat([directory, edit(directory.length + 36), edit(directory.length)]);

    await expect(read(packPresentation(stream, directory.length))).rejects.toMatchObject({
      reason: "DOCUMENT_CORRUPT",
    });
  });

  test("groups that nest without end are refused", async () => {
    let nested = words("deep");
    for (let depth = 0; depth < 2_000; depth++) nested = group([nested]);

    await expect(read(makePresentation({ slides: [{ shapes: [nested] }] }))).rejects.toMatchObject({
      reason: "DOCUMENT_CORRUPT",
    });
  });

  test("slides that all lie in one place of the file cost no more than one", async () => {
    const count = 2_000;
    const slide = record(recordType.slide, [drawing([words("x".repeat(20_000))])]);
    const entries = Array.from({ length: count }, (_, index) =>
      record(recordType.slidePersist, longs(2 + index, 0, 0, 256 + index, 0)),
    );
    const head = record(recordType.document, [record(recordType.slideList, entries)]);
    const offsets = [0, ...Array.from({ length: count }, () => head.length)];
    const directory = record(recordType.persistDirectory, longs((offsets.length << 20) | 1, ...offsets));
    const edit = record(recordType.userEdit, longs(0, 0, 0, head.length + slide.length, 1, 0, 0));
    const stream = Buffer.concat([head, slide, directory, edit]);
    const outcome = await read(packPresentation(stream, head.length + slide.length + directory.length));

    expect(outcome.blocks).toHaveLength(1);
    expect(outcome.warnings.at(-1)).toContain("damaged");
  });

  test("counts and lengths that are lies are cut to what is there", async () => {
    const liar = text(4, "a\rb", record(recordType.textStyles, Buffer.alloc(64, 0xff)));
    const properties = record(recordType.artProperties, Buffer.alloc(12, 0xff), 0xfff);
    const shapes = [record(recordType.artShape, [properties, record(recordType.artTextbox, [liar])]), words("after")];

    expect(JSON.stringify((await read(makePresentation({ slides: [{ shapes }] }))).blocks)).toMatch(
      /"a".*"b".*"after"/,
    );
  });

  test("a table of more cells than allowed is read shape by shape", async () => {
    const cells = Array.from({ length: 1_100 }, (_, index) =>
      shape({ box: [index * 10, index * 10, index * 10 + 9, index * 10 + 9], text: text(4, "x"), isChild: true }),
    );

    expect(
      (await read(makePresentation({ slides: [{ shapes: [group(cells, { isTable: true })] }] }))).blocks,
    ).toHaveLength(1_100);
  });

  test("an encryption that asks for another cipher is refused", async () => {
    const session = Buffer.alloc(200);
    session.writeUInt16LE(2, 2);
    session.writeUInt32LE(32, 8);
    session.writeUInt32LE(0x660e, 20);
    const objects = [record(recordType.document, []), record(recordType.encryption, session)];
    const directory = record(recordType.persistDirectory, longs((2 << 20) | 1, 0, objects[0]?.length ?? 0));
    const body = Buffer.concat([...objects, directory]);
    const edit = record(recordType.userEdit, longs(0, 0, 0, body.length - directory.length, 1, 0, 0, 2));

    await expect(read(packPresentation(Buffer.concat([body, edit]), body.length))).rejects.toMatchObject({
      reason: "ENCRYPTION_UNSUPPORTED",
    });
  });
});
