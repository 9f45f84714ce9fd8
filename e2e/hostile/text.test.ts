import { sequence } from "@attune/testkit/hostile/floods.ts";
import { type Expectation, type HostileCase, testHostileFamily } from "./hostile-family.ts";

const read = (content: RegExp): Expectation => ({ readBecause: "it is text, whatever its form", content });
const notebook = (cells: unknown[]): string => JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
const output = (text: string) => ({ output_type: "stream", name: "stdout", text });
const codeCell = (outputs: unknown[]) => ({
  cell_type: "code",
  execution_count: 1,
  metadata: {},
  source: "run()",
  outputs,
});
const yamlLaughs = `a0: &a0 [lol]\n${sequence(12, (n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}*a${n}]\n`)}`;

const tables: HostileCase[] = [
  {
    id: "O19",
    what: "CSV of one line of 20 MB",
    name: "o19.csv",
    make: () => `${"word ".repeat(4_000_000)}\n`,
    expected: read(/word/),
  },
  {
    id: "O19b",
    what: "CSV of a million columns",
    name: "o19b.csv",
    make: () => `${"a,".repeat(1_000_000)}\nHello\n`,
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "O19c",
    what: "CSV of a quote that never ends",
    name: "o19c.csv",
    make: () => `a,b\n"Hello,${"x,y\n".repeat(200_000)}`,
    expected: read(/Hello/),
  },
  {
    id: "O19d",
    what: "CSV with NUL bytes",
    name: "o19d.csv",
    make: () => `a,b\0c\nHello,d\n`.repeat(10),
    expected: "UNSUPPORTED_FILE_TYPE",
  },
  {
    id: "O19e",
    what: "CSV of half a million quotes",
    name: "o19e.csv",
    make: () => `Hello,${'"'.repeat(500_000)}\n`,
    expected: read(/Hello/),
  },
  {
    id: "O19f",
    what: "TSV of 600,000 rows",
    name: "o19f.tsv",
    make: () => "Hello\tworld\n".repeat(600_000),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "O23",
    what: "cells that are formulas",
    name: "o23.csv",
    make: () => `a,b\n=cmd|'/c calc'!A0,Hello\n`,
    expected: read(/=cmd.*Hello/),
  },
];

const structured: HostileCase[] = [
  {
    id: "T1",
    what: "JSON a million deep",
    name: "t1.json",
    make: () => "[".repeat(1_000_000) + "]".repeat(1_000_000),
    expected: read(/\[\[\[/),
  },
  {
    id: "T2",
    what: "JSON cut off a million deep",
    name: "t2.json",
    make: () => `{"a":`.repeat(1_000_000),
    expected: read(/"a":/),
  },
  {
    id: "T3",
    what: "JSON of 200,000 keys, and __proto__",
    name: "t3.json",
    make: () => `{"__proto__":{"x":1},${sequence(200_000, (n) => `"k${n}":${n},`)}"z":"Hello"}`,
    expected: read(/Hello/),
  },
  {
    id: "T4",
    what: "a JSON number of five million digits",
    name: "t4.json",
    make: () => `[${"9".repeat(5_000_000)}]`,
    expected: read(/999/),
  },
  {
    id: "T5",
    what: "JSON lines, one of ten megabytes",
    name: "t5.jsonl",
    make: () => `{"a":"${"x".repeat(10_000_000)}"}\n{"a":"Hello"}\n`,
    expected: read(/Hello/),
  },
  {
    id: "T6",
    what: "YAML of a billion laughs",
    name: "t6.yaml",
    make: () => yamlLaughs,
    expected: { readBecause: "it is shown as it stands, and nothing is expanded", content: /\*a0/ },
  },
  { id: "T7", what: "YAML 100,000 deep", name: "t7.yaml", make: () => "[".repeat(100_000), expected: read(/\[\[/) },
  {
    id: "T8",
    what: "YAML that would make an object",
    name: "t8.yaml",
    make: () => `a: !!python/object/apply:os.system ["id"]\nb: !!js/function "function(){}"\n`,
    expected: { readBecause: "tags are not followed", content: /os\.system/, lacks: /uid=/ },
  },
  {
    id: "T9",
    what: "TOML 100,000 deep",
    name: "t9.toml",
    make: () => `a = ${"[".repeat(100_000)}`,
    expected: read(/\[\[/),
  },
  {
    id: "T10",
    what: "a notebook with an output of 20 MB",
    name: "t10.ipynb",
    make: () => notebook([codeCell([output("Hello ".repeat(3_500_000))])]),
    expected: read(/Hello/),
  },
  {
    id: "T11",
    what: "a notebook of 5,000 cells",
    name: "t11.ipynb",
    make: () =>
      notebook(Array.from({ length: 5_000 }, () => ({ cell_type: "markdown", metadata: {}, source: "Hello" }))),
    expected: read(/Hello/),
  },
  {
    id: "T12",
    what: "a notebook whose outputs are pages, pictures and scripts",
    name: "t12.ipynb",
    make: () =>
      notebook([
        codeCell([
          {
            output_type: "display_data",
            metadata: {},
            data: {
              "text/html": "<script>alert(1)</script><p>Hello</p>",
              "image/png": "A".repeat(8_000_000),
              "application/javascript": "alert(1)",
            },
          },
        ]),
      ]),
    expected: {
      readBecause: "scripts are not text, and a picture stands for the output",
      content: /run\(\)/,
      lacks: /alert|A{1000}/,
    },
  },
  {
    id: "T16",
    what: "a notebook of half a million empty lines before a letter",
    name: "t16.ipynb",
    make: () => {
      const text = `Hello${"\n".repeat(500_000)}x`;
      return notebook([{ ...codeCell([output(text)]), source: text }]);
    },
    expected: read(/Hello/),
  },
  {
    id: "T13",
    what: "a notebook nested without end",
    name: "t13.ipynb",
    make: () => `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":${"[".repeat(200_000)}`,
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "T14",
    what: "100,000 subtitles",
    name: "t14.srt",
    make: () => sequence(100_000, (n) => `${n}\n00:00:00,000 --> 00:00:01,000\nHello\n\n`),
    expected: read(/Hello/),
  },
  {
    id: "T15",
    what: "subtitles of tags in tags",
    name: "t15.vtt",
    make: () => `WEBVTT\n\n00:00.000 --> 00:01.000\nHello ${"<b>".repeat(200_000)}\n`,
    expected: read(/Hello/),
  },
];

const plain: HostileCase[] = [
  {
    id: "O20",
    what: "bytes that are no text in any encoding",
    name: "o20.txt",
    make: () => Buffer.concat([Buffer.from("Hello "), Buffer.from([0xc3, 0x28, 0xa0, 0xa1, 0xff, 0xfe, 0xfd])]),
    expected: read(/Hello/),
  },
  {
    id: "O20b",
    what: "UTF-16 without a mark",
    name: "o20b.txt",
    make: () => Buffer.from("Hello world, this is text of sixteen bits.\n".repeat(50), "utf16le"),
    expected: read(/Hello world/),
  },
  {
    id: "O20c",
    what: "surrogates alone",
    name: "o20c.txt",
    make: () =>
      Buffer.concat([
        Buffer.from("fffe", "hex"),
        Buffer.from("Hello world. ".repeat(20), "utf16le"),
        Buffer.from("00d800d8", "hex"),
      ]),
    expected: read(/Hello/),
  },
  {
    id: "T20",
    what: "one letter with a million accents",
    name: "t20.txt",
    make: () => `Hello a${"\u0301".repeat(1_000_000)}`,
    expected: read(/Hello/),
  },
  {
    id: "T20b",
    what: "accents in the order that is worst to sort",
    name: "t20b.txt",
    make: () => `Hello a${"\u0301\u0316".repeat(500_000)}`,
    expected: read(/Hello/),
  },
  {
    id: "T21",
    what: "10 MB of one word",
    name: "t21.txt",
    make: () => `Hello ${"x".repeat(10_000_000)}`,
    expected: read(/Hello x+/),
  },
  {
    id: "T22",
    what: "five million empty lines",
    name: "t22.txt",
    make: () => `Hello${"\n".repeat(5_000_000)}`,
    expected: read(/^Hello\n$/),
  },
  {
    id: "T23",
    what: "ten megabytes of spaces and line ends",
    name: "t23.txt",
    make: () => `Hello${" \t\n".repeat(3_000_000)}`,
    expected: read(/^Hello/),
  },
  {
    id: "T24",
    what: "a list 3,000 deep by indentation",
    name: "t24.txt",
    make: () => sequence(3_000, (n) => `${" ".repeat(n)}- Hello\n`),
    expected: read(/Hello/),
  },
  {
    id: "T25",
    what: "two megabytes of dashes, stars and bars",
    name: "t25.txt",
    make: () => `Hello\n${"-*|_=+".repeat(300_000)}`,
    expected: read(/Hello/),
  },
  {
    id: "T26",
    what: "ten megabytes of NUL",
    name: "t26.txt",
    make: () => Buffer.alloc(10_000_000),
    expected: "UNSUPPORTED_FILE_TYPE",
  },
  { id: "T27", what: "no bytes at all", name: "t27.txt", make: () => "", expected: "FILE_EMPTY" },
  {
    id: "T28",
    what: "source code of one line of ten megabytes",
    name: "t28.js",
    make: () => `Hello=[${"`".repeat(1_000_000)}${"[0,".repeat(3_000_000)}`,
    expected: read(/Hello/),
  },
  {
    id: "T29",
    what: "directions turned, nothing wide, marks",
    name: "t29.txt",
    make: () => `Hello \u202Eevil\u202C \u200B\u2066x\u2069\uFEFF`,
    expected: read(/Hello/),
  },
];

const environment = (): Record<string, string> => ({ PARSER_MAX_TABLE_CELLS: "1100000", PARSER_MAX_BLOCKS: "250000" });

testHostileFamily({ family: "text and data", environment }, [...tables, ...structured, ...plain]);
