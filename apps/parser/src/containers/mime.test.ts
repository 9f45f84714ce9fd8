import { describe, expect, test } from "vitest";
import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import { parseHeaderValue } from "./mime-header.ts";
import { type MimePart, parseMime } from "./mime.ts";

function parse(text: string): MimePart {
  return parseMime(Buffer.from(text, "latin1"), new Budget(defaultLimits));
}

function decoded(encoding: string, body: string): string {
  return Buffer.from(parse(`Content-Transfer-Encoding: ${encoding}\n\n${body}`).decode()).toString("latin1");
}

describe("transfer encodings", () => {
  test.each([
    ["quoted-printable", "a=3Db =\r\nc=E9 =zz=", "a=b c\u00e9 =zz"],
    ["Base64", "QUJD\r\nREVG", "ABCDEF"],
    ["base64", "QQ==\r\nQg==\r\n", "AB"],
    ["base64", "Q!U@J#D", "ABC"],
    ["x-uuencode", "begin 644 a\n#86)C\n`\nend\n", "abc"],
    ["8bit", "as it is", "as it is"],
    ["nonsense", "as it is", "as it is"],
  ])("%s", (encoding, body, text) => {
    expect(decoded(encoding, body)).toBe(text);
  });
});

describe("parts", () => {
  const message = (body: string): MimePart => parse(`Content-Type: multipart/mixed; boundary="b b"\r\n\r\n${body}`);
  const textsOf = ({ parts }: MimePart): string[] => parts.map((part) => Buffer.from(part.decode()).toString());

  test("stand between boundaries, without the line end before them", () => {
    expect(
      textsOf(message("preamble\r\n--b b\r\n\r\none\r\n--b b \r\nX: y\r\n\r\ntwo\r\n--b b--\r\nepilogue")),
    ).toEqual(["one", "two"]);
  });

  test("end with the message when the last boundary is missing", () => {
    expect(textsOf(message("--b b\n\none\n--b b\n\ntwo"))).toEqual(["one", "two"]);
  });

  test("are not ended by a longer word that begins like the boundary", () => {
    expect(textsOf(message("--b b\n\none\n--b bb\nstill one\n--b b--"))).toEqual(["one\n--b bb\nstill one"]);
  });

  test("of a digest are messages", () => {
    const digest = parse("Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: x\n\ny\n--b--");
    expect(digest.parts[0]?.mediaType).toBe("message/rfc822");
  });

  test("count as members of an archive", () => {
    expect(() => message("--b b\n\nx\n".repeat(10_001))).toThrow(/LIMIT_EXCEEDED/);
  });

  test("more than 32 deep stay one part", () => {
    let inner = "Content-Type: text/plain\n\nx";
    for (let depth = 0; depth < 300; depth++) {
      inner = `Content-Type: multipart/mixed; boundary=b${depth}\n\n--b${depth}\n${inner}\n--b${depth}--`;
    }
    let depth = 0;
    for (let part: MimePart | undefined = parse(inner); part !== undefined; part = part.parts[0]) depth++;
    expect(depth).toBe(33);
  });
});

describe("headers", () => {
  test("are unfolded and their encoded words decoded", () => {
    const part = parse("Subject: =?utf-8?Q?=C3=A9t?=\r\n =?iso-8859-1?B?6Q==?= x\r\n\r\n");
    expect(part.header("subject")).toBe("été x");
  });

  test("a name is put together from its continuations and loses no letters", () => {
    const value = parseHeaderValue("attachment; filename*1*=%C3%A9.txt; filename*0*=utf-8'en'r%C3%A9sum");
    expect(value).toEqual({ value: "attachment", parameters: new Map([["filename", "résumé.txt"]]) });
  });

  test("quoted values may hold semicolons and escaped quotes", () => {
    expect(parseHeaderValue('text/plain; name="a;\\"b\\""; charset=utf-8').parameters).toEqual(
      new Map([
        ["name", 'a;"b"'],
        ["charset", "utf-8"],
      ]),
    );
  });
});
