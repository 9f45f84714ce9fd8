import { makeEncryptedPackage } from "@attune/testkit/make-encrypted-package.ts";
import { makeDocx } from "@attune/testkit/make-ooxml.ts";
import { expect, test } from "vitest";
import { createProbe } from "../../detection/create-probe.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import { ooxmlEncrypted } from "./format.ts";

const text = "word ".repeat(3000);
const plain = makeDocx({ body: `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>` });

async function read(bytes: Uint8Array, password?: string) {
  const options = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
  const { document } = await readSource(
    { bytes, fileName: "a.docx", format: "ooxml-encrypted" },
    { ...options, ...(password !== undefined && { password }) },
    new Budget(defaultLimits),
  );
  return document.blocks;
}

test("the password opens the package, and what is inside is read", async () => {
  const bytes = makeEncryptedPackage(plain, "clé secrète");

  expect(ooxmlEncrypted.sniff?.(createProbe(bytes))).toBe(1);
  expect(await read(bytes, "clé secrète")).toEqual([{ type: "paragraph", inlines: [text.trim()] }]);
});

test("without a password, and with a wrong one, the reason says so", async () => {
  const bytes = makeEncryptedPackage(plain, "right");

  await expect(read(bytes)).rejects.toMatchObject({ reason: "PASSWORD_REQUIRED" });
  await expect(read(bytes, "wrong")).rejects.toMatchObject({ reason: "PASSWORD_WRONG" });
});

test("files that Office protects only against change open without a password", async () => {
  expect(await read(makeEncryptedPackage(plain, "VelvetSweatshop"))).toHaveLength(1);
});

test("a request for endless hashing is refused", async () => {
  const bytes = makeEncryptedPackage(plain, "p");
  const at = bytes.indexOf('spinCount="1000" ');
  bytes.write('spinCount="9e15" ', at);

  await expect(read(bytes, "p")).rejects.toMatchObject({ reason: "ENCRYPTION_UNSUPPORTED" });
});

test("a sector chain that runs in a circle ends", async () => {
  const bytes = makeEncryptedPackage(plain, "p");
  const directoryAt = bytes.readUInt32LE(48);
  bytes.writeUInt32LE(directoryAt, 512 + 4 * directoryAt);

  await expect(read(bytes, "p")).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
});

test("any cut of the file is told, unless all of the package is left", async () => {
  const bytes = makeEncryptedPackage(plain, "p");
  const outcomes = new Set<string>();
  for (let length = 0; length < bytes.length; length += 331) {
    const cut = read(bytes.subarray(0, length), "p");
    outcomes.add(
      await cut.then(
        (blocks) => JSON.stringify(blocks),
        (error: { reason: string }) => error.reason,
      ),
    );
  }
  const whole = JSON.stringify([{ type: "paragraph", inlines: [text.trim()] }]);
  expect([...outcomes].filter((outcome) => outcome !== whole).toSorted()).toEqual(["DOCUMENT_CORRUPT"]);
});
