import fc from "fast-check";
import { expect, test } from "vitest";
import { maskBytes, maskSecrets } from "./mask-secrets.ts";
import { cleanLogLine } from "./read-log-tail.ts";

const secrets = [
  "hf_abcdefghijklmnop",
  "sk-abcdefghijklmnop",
  "AKIAABCDEFGHIJKLMNOP",
  "verysecret",
  "Zm9vYmFyOmJheg==",
  "user:pass",
];
const text = [
  "step 1 loss 0.5 é文",
  "token hf_abcdefghijklmnop here",
  'key sk-abcdefghijklmnop, {"api_key": "verysecret"}',
  "Authorization: Basic Zm9vYmFyOmJheg==\r 50%\rHF_TOKEN=verysecret next",
  "AKIAABCDEFGHIJKLMNOP",
  "\u001B[1mhf_abc\u001B[0mdefghijklmn\u0000op",
  "https://user:pass@host/x",
  "the token count is 5",
].join("\n");

test("bytes are masked in place: as many, the same lines, no secret, and all else as it was", () => {
  const bytes = Buffer.from(text);
  const masked = maskBytes(bytes);
  expect(masked).toHaveLength(bytes.length);
  const shown = masked.toString();
  for (const secret of [...secrets, "hf_abc", "defghijklmn"]) expect(shown).not.toContain(secret);
  expect(shown).toContain("step 1 loss 0.5 é文\ntoken ******************* here\n");
  expect(shown).toContain('{"api_key": "**********"}');
  expect(shown).toContain("https://*********@host/x\nthe token count is 5");
  expect(bytes.toString()).toBe(text);
});

test("what is masked in place is what a tail masks", () => {
  const lines = (shown: string) => shown.split(/[\n\r]/).map((line) => cleanLogLine(line).replaceAll(/\*+/g, "***"));
  expect(lines(maskBytes(Buffer.from(text)).toString())).toEqual(lines(text));
});

test("any bytes keep their number and the ends of their lines", () => {
  const part = fc.oneof(
    fc.constantFrom(...text.split("\n"), "\n", "\r", "hf_", "token="),
    fc.string({ unit: "binary-ascii" }),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const bytes = Buffer.from(parts.join(""));
      const masked = maskBytes(bytes);
      const ends = (of: Buffer) => [...of.entries()].filter(([, byte]) => byte === 10 || byte === 13);
      expect(masked).toHaveLength(bytes.length);
      expect(ends(masked)).toEqual(ends(bytes));
      expect(maskBytes(masked).equals(masked)).toBe(true);
    }),
  );
});

test("a secret within another is masked once", () => {
  expect(maskSecrets("HF_TOKEN=hf_abcdefghijklmnop, Bearer hf_abcdefghijklmnop.")).toBe("HF_TOKEN=***, Bearer ***");
});

test.each(["a.b-", "eyJ-", "token ", "a://b:", "x-token", "hf_a "])(
  "a line of a mebibyte of %j is read once",
  (piece) => {
    const bytes = Buffer.from(piece.repeat(2 ** 20 / piece.length));
    expect(maskBytes(bytes).equals(bytes)).toBe(true);
  },
);
