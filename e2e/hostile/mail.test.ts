import { gzipSync } from "node:zlib";
import { gzipFlood, sequence } from "@attune/testkit/hostile/floods.ts";
import { makeMail, makeMultipart, nestedMail, nestedMultipart } from "@attune/testkit/hostile/mail-floods.ts";
import { type Expectation, type HostileCase, testHostileFamily } from "./hostile-family.ts";

const plain = "Content-Type: text/plain\r\n\r\nHello world.";
const isRead: Expectation = { readBecause: "the text is there", content: /Hello world\./, lacks: /root:/ };
const attachment = (name: string, bytes: Uint8Array): string =>
  `Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(bytes).toString("base64")}`;

const cases: HostileCase[] = [
  {
    id: "M1",
    what: "mails in mails, 100 deep",
    name: "m1.eml",
    make: () => nestedMail(100),
    expected: {
      readBecause: "the outer mail is read, and what is left out is told",
      content: /Hello/,
      message: /LIMIT_EXCEEDED|deep/,
    },
  },
  {
    id: "M1b",
    what: "mails in mails, 20,000 deep",
    name: "m1b.eml",
    make: () => nestedMail(20_000),
    expected: {
      readBecause: "the outer mail is read, and what is left out is told",
      content: /Hello/,
      message: /LIMIT_EXCEEDED|deep/,
    },
  },
  {
    id: "M2",
    what: "parts in parts, 1,000 deep",
    name: "m2.eml",
    make: () => nestedMultipart(1000),
    expected: {
      readBecause: "the header is read, and what is left out is told",
      content: /Hello/,
      message: /not read/,
    },
  },
  {
    id: "M3",
    what: "200,000 header lines",
    name: "m3.eml",
    make: () =>
      makeMail(
        "Hello world.",
        sequence(200_000, (n) => `X-Header-${n}: value\r\n`),
      ),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "M4",
    what: "a header line of ten megabytes",
    name: "m4.eml",
    make: () => makeMail("Hello world.", `X-Long: ${"x".repeat(10_000_000)}\r\n`),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "M5",
    what: "a header folded a million times",
    name: "m5.eml",
    make: () => makeMail("Hello world.", `X-Long: ${"x\r\n ".repeat(1_000_000)}x\r\n`),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "M6",
    what: "a boundary of a megabyte",
    name: "m6.eml",
    make: () => makeMultipart([plain], "b".repeat(1_000_000)),
    expected: isRead,
  },
  {
    id: "M7",
    what: "a boundary of 252 bytes that is almost there 20,000 times",
    name: "m7.eml",
    make: () => makeMultipart([`${plain}\r\n${`--${"b".repeat(251)}\r\n`.repeat(20_000)}`], "b".repeat(252)),
    expected: isRead,
  },
  {
    id: "M8",
    what: "100,000 parts",
    name: "m8.eml",
    make: () => makeMultipart([plain, ...Array.from({ length: 100_000 }, () => "Content-Type: text/plain\r\n\r\nx")]),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "M9",
    what: "no last boundary",
    name: "m9.eml",
    make: () => makeMultipart([plain]).slice(0, -10),
    expected: isRead,
  },
  {
    id: "M10",
    what: "five megabytes of broken quoted-printable",
    name: "m10.eml",
    make: () =>
      makeMail(`Hello world. ${"=ZZ=x=".repeat(1_000_000)}`, "Content-Transfer-Encoding: quoted-printable\r\n"),
    expected: isRead,
  },
  {
    id: "M11",
    what: "five megabytes of broken base64",
    name: "m11.eml",
    make: () =>
      makeMultipart([
        plain,
        `Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n${"@#=!*".repeat(1_000_000)}`,
      ]),
    expected: isRead,
  },
  {
    id: "M12",
    what: "an attachment named ../../etc/passwd",
    name: "m12.eml",
    make: () => makeMultipart([plain, attachment("../../../../etc/passwd", Buffer.from("An attachment."))]),
    expected: { readBecause: "names are data, never paths", content: /Hello world[^]*An attachment/, lacks: /root:/ },
  },
  {
    id: "M13",
    what: "an attachment that is a gzip bomb",
    name: "m13.eml",
    make: () => makeMultipart([plain, attachment("a.gz", gzipSync(gzipFlood(1024)))]),
    expected: {
      readBecause: "the mail is read, and the bomb is named",
      content: /Hello world/,
      message: /a\.gz[^]*LIMIT_EXCEEDED/,
    },
  },
  {
    id: "M14",
    what: "100,000 encoded words in the subject",
    name: "m14.eml",
    make: () => `Subject: ${"=?utf-8?B?SGk=?=\r\n ".repeat(100_000)}\r\nFrom: a@example.org\r\n\r\nHello world.`,
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "M15",
    what: "encoded words that never end",
    name: "m15.eml",
    make: () => `Subject: ${"=?utf-8?Q?".repeat(200_000)}\r\nFrom: a@example.org\r\n\r\nHello world.`,
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "M16",
    what: "200,000 recipients and groups",
    name: "m16.eml",
    make: () => makeMail("Hello world.", `Cc: ${'g: <a@b>, "(((" '.repeat(200_000)};\r\n`),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "M17",
    what: "comments in comments in an address",
    name: "m17.eml",
    make: () => makeMail("Hello world.", `Cc: ${"(".repeat(500_000)}\r\n`),
    expected: isRead,
  },
  {
    id: "M18",
    what: "100,000 parameters of a type",
    name: "m18.eml",
    make: () =>
      makeMail("Hello world.", `Content-Type: text/plain; ${sequence(100_000, (n) => `a*${n}*=utf-8''x%20; `)}\r\n`),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "M19",
    what: "a character set called file:///etc/passwd",
    name: "m19.eml",
    make: () => makeMail("Hello world.", `Content-Type: text/plain; charset="file:///etc/passwd"\r\n`),
    expected: isRead,
  },
  {
    id: "M20",
    what: "a mailbox of 50,000 mails",
    name: "m20.mbox",
    make: () =>
      `From a@example.org Thu Jan  1 00:00:00 1970\n${makeMail("Hello world.\n").replaceAll("\r", "")}\n`.repeat(
        50_000,
      ),
    expected: {
      readBecause: "mails up to the limit are read",
      content: /Hello world/,
      message: /PARSER_MAX_PAGES|left out|not read/,
    },
  },
  {
    id: "M21",
    what: "a page whose style sheet and frames lie elsewhere",
    name: "m21.eml",
    make: () =>
      makeMail(
        `<p>Hello world.</p><link rel=stylesheet href="http://127.0.0.1:1/"><iframe src="file:///etc/passwd"></iframe><img src="cid:a">`,
        "Content-Type: text/html\r\n",
      ),
    expected: isRead,
  },
  {
    id: "M22",
    what: "an external body",
    name: "m22.eml",
    make: () =>
      makeMultipart([
        plain,
        `Content-Type: message/external-body; access-type=local-file; name="/etc/passwd"\r\n\r\nContent-Type: text/plain\r\n\r\n`,
      ]),
    expected: isRead,
  },
  {
    id: "M23",
    what: "a web archive that is a mail of itself",
    name: "m23.mhtml",
    make: () =>
      makeMultipart(
        Array.from(
          { length: 2000 },
          () =>
            'Content-Type: text/html\r\nContent-Location: http://127.0.0.1/\r\n\r\n<p>Hello world.</p><iframe src="http://127.0.0.1/"></iframe>',
        ),
      ).replace("multipart/mixed", "multipart/related"),
    expected: isRead,
  },
];

testHostileFamily({ family: "mail" }, cases);
