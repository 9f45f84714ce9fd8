import { AppError } from "@attune/service-kit/app-error.ts";
import { describe, expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import {
  attachment,
  binary,
  long,
  makeTnef,
  namedNumbers,
  narrowText,
  properties,
  time,
  wideText,
} from "./message.fixture.ts";
import { attributeId } from "./read-attributes.ts";
import { propertyId } from "./read-properties.ts";

async function read(bytes: Buffer) {
  const options = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
  const input = { bytes, fileName: "winmail.dat", format: "tnef" };
  const { document, warnings } = await readSource(input, options, new Budget(defaultLimits));
  return { ...document, warnings };
}

const say = (...inlines: readonly unknown[]) => ({ type: "paragraph", inlines });
const fact = (label: string, value: string) => ({
  blocks: [say({ type: "strong", inlines: [`${label}:`] }, ` ${value}`)],
});

describe("messages", () => {
  test("of new programs have properties: people, a date, the text", async () => {
    const message = makeTnef([
      properties(
        namedNumbers("x", [1, 2, 3]),
        wideText(propertyId.subject, "Berths"),
        wideText(propertyId.senderName, "Ada"),
        wideText(propertyId.senderAddress, "ada@example.org"),
        wideText(propertyId.displayTo, "Port"),
        time(propertyId.submittedAt, "2024-05-01T08:00:00Z"),
        wideText(propertyId.body, "Three are closed."),
      ),
    ]);

    expect(await read(message)).toEqual({
      metadata: { title: "Berths", authors: ["Ada"], createdAt: "2024-05-01T08:00:00.000Z" },
      blocks: [
        { type: "heading", level: 1, inlines: ["Berths"] },
        {
          type: "list",
          ordered: false,
          items: [fact("From", "Ada <ada@example.org>"), fact("To", "Port"), fact("Date", "2024-05-01T08:00:00Z")],
        },
        say("Three are closed."),
      ],
      warnings: [],
    });
  });

  test("of old programs have attributes in their code page", async () => {
    const message = makeTnef([
      [attributeId.codePage, Buffer.concat([long(1251), long(0)])],
      [attributeId.subject, Buffer.from("cfeef0f200", "hex")],
      [attributeId.body, Buffer.from("cfeef0f200", "hex")],
    ]);

    expect((await read(message)).blocks).toEqual([{ type: "heading", level: 1, inlines: ["Порт"] }, say("Порт")]);
  });

  test("with HTML are read with its structure", async () => {
    const html = Buffer.from("<ul><li>one</li></ul>");
    const { blocks } = await read(
      makeTnef([properties(wideText(propertyId.body, "* one"), binary(propertyId.html, html))]),
    );

    expect(blocks).toEqual([{ type: "list", ordered: false, items: [{ blocks: [say("one")] }] }]);
  });
});

describe("attachments", () => {
  test("are read under their long names, messages inside too", async () => {
    const inner = makeTnef([properties(wideText(propertyId.body, "inner"))]);
    const object = Buffer.concat([Buffer.alloc(16), inner]);
    const message = makeTnef([
      properties(wideText(propertyId.body, "outer")),
      ...attachment("A~1.TXT", Buffer.from("words"), wideText(propertyId.attachedLongName, "a long name.txt")),
      ...attachment("mail", Buffer.alloc(0), binary(propertyId.attachedObject, object)),
    ]);

    expect((await read(message)).blocks).toEqual([
      say("outer"),
      { type: "heading", level: 2, inlines: ["Attachment: a long name.txt"] },
      say("words"),
      { type: "heading", level: 2, inlines: ["Attachment: mail"] },
      say("inner"),
    ]);
  });

  test("that cannot be read are told", async () => {
    const message = makeTnef([
      properties(wideText(propertyId.body, "x")),
      ...attachment("a.bin", Buffer.from([0, 1, 255])),
    ]);

    expect((await read(message)).warnings).toEqual([expect.stringContaining("“a.bin” was not read")]);
  });
});

describe("files made to harm", () => {
  test("messages inside one another beyond the limit are told, not followed", async () => {
    let message = makeTnef([properties(wideText(propertyId.body, "last"))]);
    for (let depth = 0; depth < 20; depth++) {
      const object = Buffer.concat([Buffer.alloc(16), message]);
      message = makeTnef([
        properties(wideText(propertyId.body, `depth ${depth}`)),
        ...attachment("m", Buffer.alloc(0), binary(propertyId.attachedObject, object)),
      ]);
    }

    expect((await read(message)).warnings.join()).toContain("LIMIT_EXCEEDED");
  });

  test("counts and lengths that are lies end with the bytes, and a cut is told", async () => {
    const message = makeTnef([
      properties(narrowText(propertyId.subject, Buffer.from("s\0")), wideText(propertyId.body, "words")),
      ...attachment("a.txt", Buffer.from("words")),
    ]);
    expect((await read(message.subarray(0, -4))).warnings).toContain(
      "The file is cut short: what came after the cut is missing.",
    );
    for (let at = 4; at < message.length; at++) {
      const lying = Buffer.from(message);
      lying[at] = 0xff;
      const fault = await read(lying).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(fault === undefined || fault instanceof AppError).toBe(true);
    }
  });

  test("a signature with nothing after it is corrupt", async () => {
    await expect(read(Buffer.from("789f3e220100", "hex"))).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });
});
