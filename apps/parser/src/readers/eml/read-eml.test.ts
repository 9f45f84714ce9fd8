import { describe, expect, test } from "vitest";
import { renderDocument } from "../../document/render/render-document.ts";
import type { RenderOptions } from "../../document/render/render-options.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";

const render: RenderOptions = {
  outputFormat: "markdown",
  tables: "auto",
  images: "placeholder",
  pageMarkers: false,
  frontMatter: false,
  footnotes: "keep",
  formulas: "latex",
  links: "keep",
};

async function read(message: string | Uint8Array) {
  const bytes = typeof message === "string" ? Buffer.from(message, "utf8") : message;
  const { document, warnings } = await readSource(
    { bytes, fileName: "a.eml", format: "eml" },
    { pages: [], headersFooters: "drop", images: "placeholder" },
    new Budget(defaultLimits),
  );
  return { text: renderDocument(document, render), metadata: document.metadata, warnings };
}

const header = "From: a@example.org\r\nSubject: S\r\nMIME-Version: 1.0\r\n";
const alternative = (plain: string, html: string): string =>
  `${header}Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\n${plain}\r\n--b\r\nContent-Type: text/html\r\n\r\n${html}\r\n--b--`;
const mixed = (...parts: string[]): string =>
  `${header}Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--`;

describe("the text of a message", () => {
  test("is the plain one when HTML adds no structure", async () => {
    const { text } = await read(alternative("plain", "<p>html</p>"));
    expect(text).toContain("plain");
    expect(text).not.toContain("html");
  });

  test("is the HTML one when it has a table, with its headings below the subject", async () => {
    const { text } = await read(
      alternative("plain", "<h1>H</h1><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"),
    );
    expect(text).toContain("## H\n\n| a | b |");
    expect(text).not.toContain("plain");
  });

  test("is the HTML one when the plain one only asks for a program that shows it", async () => {
    const stub = "This message is in HTML. Please use a program that shows it.";
    const letter = "What the letter has to say stands only here. ".repeat(5);
    expect((await read(alternative(stub, `<style>${stub.repeat(9)}</style><p>${letter}</p>`))).text).toContain(
      "only here",
    );
    expect((await read(alternative(stub, `<style>${stub.repeat(9)}</style><p>Short.</p>`))).text).toContain(
      "Please use",
    );
  });

  test("has the plain text that stands behind the HTML of an alternative, not the poorer one before it", async () => {
    const html = "Content-Type: text/html\r\n\r\n<ul><li>rich</li></ul>";
    const inner = `Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n${html}\r\n--c\r\n\r\nfoot of the list\r\n--c--`;
    const parts = `--b\r\n\r\npoor\r\n--b\r\n${inner}\r\n--b--`;
    const { text } = await read(`${header}Content-Type: multipart/alternative; boundary=b\r\n\r\n${parts}`);
    expect(text).toContain("rich");
    expect(text).toContain("foot of the list");
    expect(text).not.toContain("poor");
  });

  test("is read in the charset it declares", async () => {
    const message = Buffer.concat([
      Buffer.from(`${header}Content-Type: text/plain; charset=koi8-r\r\n\r\n`),
      Buffer.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]),
    ]);
    expect((await read(message)).text).toContain("Привет");
  });

  test("joins the lines of flowed text", async () => {
    const { text } = await read(`${header}Content-Type: text/plain; format=flowed\r\n\r\none \r\ntwo\r\nthree`);
    expect(text).toContain("one two\\\nthree");
  });
});

describe("attachments", () => {
  test("are read under their names, which are never paths", async () => {
    const { text } = await read(
      mixed("\r\nbody", 'Content-Disposition: attachment; filename="../../etc/passwd.txt"\r\n\r\ninside'),
    );
    expect(text).toContain("## Attachment: passwd.txt\n\ninside");
  });

  test("that cannot be read are named with the reason, and the rest is read", async () => {
    const { text, warnings } = await read(
      mixed("\r\nbody", "Content-Type: application/octet-stream; name=x.bin\r\n\r\n\u0000\u0001\u0002\u0000"),
    );
    expect(text).toContain("body\n\nAttachment: x.bin");
    expect(warnings).toEqual(["The attachment “x.bin” was not read: UNSUPPORTED_FILE_TYPE."]);
  });

  test("a picture that the text shows is no attachment", async () => {
    const picture = "Content-Type: image/png; name=a.png\r\nContent-ID: <a>\r\n\r\nx";
    const related = `Content-Type: multipart/related; boundary=r\r\n\r\n--r\r\nContent-Type: text/html\r\n\r\n<p>t <img src="cid:a" alt="logo"></p>\r\n--r\r\n${picture}\r\n--r--`;
    const { text, warnings } = await read(mixed(related));
    expect(text).toContain("![logo](a.png)");
    expect(warnings).toEqual([]);
  });

  test("100 messages inside one another end at the limit, with a warning", async () => {
    let message = `${header}\r\ninnermost`;
    for (let depth = 0; depth < 100; depth++) message = `${header}Content-Type: message/rfc822\r\n\r\n${message}`;
    const { text, warnings } = await read(message);
    expect(text).not.toContain("innermost");
    expect(warnings.join()).toContain("LIMIT_EXCEEDED");
  });
});

describe("encryption", () => {
  const encrypted =
    'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=e\r\n\r\n--e\r\n\r\nx\r\n--e--';

  test("of the whole message is said to be the reason", async () => {
    await expect(read(`${header}${encrypted}`)).rejects.toMatchObject({ reason: "ENCRYPTION_UNSUPPORTED" });
    await expect(read(`${header}\r\n-----BEGIN PGP MESSAGE-----\r\nabc`)).rejects.toMatchObject({
      reason: "ENCRYPTION_UNSUPPORTED",
    });
  });

  test("of a part is warned of", async () => {
    const { text, warnings } = await read(mixed("\r\nclear", encrypted));
    expect(text).toContain("clear");
    expect(warnings).toEqual(["A part of the message is encrypted and was not read (application/pgp-encrypted)."]);
  });
});

test("of 1,500 recipients 1,000 are named and the others counted", async () => {
  const { text } = await read(`From: a@example.org\nTo: ${"b@example.org, ".repeat(1500)}\nSubject: S\n\nx`);
  expect(text).toContain("and 500 more");
});

test("what has no header is no message", async () => {
  await expect(read("just words")).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
});

test("metadata are those of the header, and a date that is none is left out", async () => {
  const { metadata } = await read("From: =?utf-8?Q?J=C3=B6?= <j@example.org>\nSubject: S\nDate: yesterday\n\nx");
  expect(metadata).toEqual({ title: "S", authors: ["Jö <j@example.org>"] });
});
