import { sequence } from "@attune/testkit/hostile/floods.ts";
import { type Expectation, type HostileCase, testHostileFamily } from "./hostile-family.ts";

const isRead: Expectation = { readBecause: "the text is there", content: /Hello world/, lacks: /root:|uid=/ };
const noScript: Expectation = {
  readBecause: "text stays, what runs goes",
  content: /Hello world/,
  lacks: /javascript:|vbscript:|alert\(|onerror|<script|root:/i,
};

const light: HostileCase[] = [
  {
    id: "O22",
    what: "Markdown with links that run",
    name: "o22.md",
    make: () =>
      `Hello world [x](javascript:alert(1)) <a href="javascript:alert(1)">y</a> <img src=x onerror=alert(1)> ![z](vbscript:x)\n\n<script>alert(1)</script>\n`,
    expected: noScript,
  },
  {
    id: "O22b",
    what: "quotes inside quotes, 10,000 deep",
    name: "o22b.md",
    make: () => `Hello world\n\n${">".repeat(10_000)} x\n`,
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "O22c",
    what: "a flood of brackets",
    name: "o22c.md",
    make: () => `Hello world ${"[".repeat(50_000)}${"](".repeat(20_000)}${"![".repeat(20_000)}\n`,
    expected: isRead,
  },
  {
    id: "O22d",
    what: "a flood of stars and lines below",
    name: "o22d.md",
    make: () => `Hello world ${"*a _b ".repeat(20_000)}${"**a__b".repeat(20_000)}\n`,
    expected: isRead,
  },
  {
    id: "O22e",
    what: "backticks of every length",
    name: "o22e.md",
    make: () => `Hello world ${sequence(400, (n) => `${"`".repeat(n + 1)} `)}\n`,
    expected: isRead,
  },
  {
    id: "O22f",
    what: "definitions of 50,000 links",
    name: "o22f.md",
    make: () => `Hello world [a0]\n\n${sequence(50_000, (n) => `[a${n}]: http://x\n`)}`,
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "O22g",
    what: "a table of 20,000 columns",
    name: "o22g.md",
    make: () => `Hello world\n\n|${"a|".repeat(20_000)}\n|${"-|".repeat(20_000)}\n${"|x|\n".repeat(50)}`,
    expected: isRead,
  },
  {
    id: "O22h",
    what: "lists inside lists, 2,000 deep",
    name: "o22h.md",
    make: () => `Hello world\n\n${sequence(2_000, (n) => `${" ".repeat(2 * n)}- x\n`)}`,
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "O22i",
    what: "a flood of entities, tags and autolinks",
    name: "o22i.md",
    make: () => `Hello world ${"<a <!-- &# <http: ".repeat(8_000)}\n`,
    expected: isRead,
  },
  {
    id: "O22j",
    what: "dollar signs and formulas without end",
    name: "o22j.md",
    make: () => `Hello world ${"$a$$b$ \\( \\[ ".repeat(8_000)}\n`,
    expected: isRead,
  },
];

const programs: HostileCase[] = [
  {
    id: "O18",
    what: "RTF groups, 200,000 deep",
    name: "o18.rtf",
    make: () => `{\\rtf1 Hello world.${"{".repeat(200_000)}x${"}".repeat(200_000)}}`,
    expected: isRead,
  },
  {
    id: "O18b",
    what: "RTF binary that lies about its length",
    name: "o18b.rtf",
    make: () => `{\\rtf1 Hello world.{\\pict\\bin2000000000 x}}`,
    expected: isRead,
  },
  {
    id: "O18c",
    what: "an RTF table of 300,000 cells",
    name: "o18c.rtf",
    make: () =>
      `{\\rtf1 Hello world.\\par ${`\\trowd${"\\cellx1".repeat(1000)}${"x\\cell".repeat(1000)}\\row`.repeat(50)}}`,
    expected: isRead,
  },
  {
    id: "O18d",
    what: "RTF objects and fields that run",
    name: "o18d.rtf",
    make: () =>
      `{\\rtf1 Hello world.{\\field{\\*\\fldinst INCLUDETEXT "file:///etc/passwd"}{\\fldrslt x}}{\\object\\objemb{\\*\\objdata 4d5a}}{\\field{\\*\\fldinst HYPERLINK "javascript:alert(1)"}{\\fldrslt y}}}`,
    expected: noScript,
  },
  {
    id: "L1",
    what: "LaTeX of a billion laughs",
    name: "l1.tex",
    make: () =>
      `\\documentclass{article}\\begin{document}Hello world.${sequence(12, (n) => `\\newcommand{\\${"abcdefghijklm"[n + 1]}}{${`\\${"abcdefghijklm"[n]}`.repeat(10)}}`)}$\\m$ \\m\\end{document}`,
    expected: isRead,
  },
  {
    id: "L2",
    what: "LaTeX that reads files and runs programs",
    name: "l2.tex",
    make: () =>
      `\\documentclass{article}\\begin{document}Hello world.\\input{/etc/passwd}\\include{/etc/passwd}\\verbatiminput{/etc/passwd}\\lstinputlisting{/etc/passwd}\\immediate\\write18{id}\\end{document}`,
    expected: isRead,
  },
  {
    id: "L3",
    what: "LaTeX groups and environments, 100,000 deep",
    name: "l3.tex",
    make: () =>
      `\\documentclass{article}\\begin{document}Hello world.${"{".repeat(100_000)}${"\\begin{itemize}\\item ".repeat(20_000)}`,
    expected: isRead,
  },
  {
    id: "L4",
    what: "a LaTeX command that is its own meaning",
    name: "l4.tex",
    make: () =>
      `\\documentclass{article}\\newcommand{\\x}{\\x\\x}\\begin{document}Hello world. $\\x$ \\x\\end{document}`,
    expected: isRead,
  },
  {
    id: "R1",
    what: "reStructuredText that includes files",
    name: "r1.rst",
    make: () =>
      `Hello world\n===========\n\n.. include:: /etc/passwd\n\n.. csv-table:: t\n   :file: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\n.. literalinclude:: /etc/passwd\n`,
    expected: isRead,
  },
  {
    id: "R2",
    what: "reStructuredText substitutions of each other",
    name: "r2.rst",
    make: () =>
      `Hello world |a|\n\n${sequence(12, (n) => `.. |${"abcdefghijklm"[n]}| replace:: ${`|${"abcdefghijklm"[n + 1]}| `.repeat(10)}\n`)}`,
    expected: isRead,
  },
  {
    id: "R3",
    what: "reStructuredText quotes 2,000 deep",
    name: "r3.rst",
    make: () => `Hello world\n\n${sequence(2_000, (n) => `${" ".repeat(n)}x\n\n`)}`,
    expected: isRead,
  },
  {
    id: "A1",
    what: "AsciiDoc that includes files",
    name: "a1.adoc",
    make: () =>
      `= Hello world\n\nHello world.\n\ninclude::/etc/passwd[]\n\n:a: {b}{b}\n:b: {a}{a}\n\n{a}\n\nimage::javascript:alert(1)[]\n`,
    expected: isRead,
  },
  {
    id: "A2",
    what: "AsciiDoc attributes that double, 60 times",
    name: "a2.adoc",
    make: () => `= Hello world\n:a0: lol\n${sequence(60, (n) => `:a${n + 1}: {a${n}}{a${n}}\n`)}\nHello world. {a60}\n`,
    expected: isRead,
  },
  {
    id: "A4",
    what: "AsciiDoc of 200,000 backslashes, and a title of spaces",
    name: "a4.adoc",
    make: () => `= Hello world\n\nHello world ${"\\".repeat(200_000)}\nx\n\n== a${" ".repeat(500_000)}x\n`,
    expected: isRead,
  },
  {
    id: "R4",
    what: "reStructuredText of 200,000 backslashes",
    name: "r4.rst",
    make: () => `Hello world ${"\\".repeat(200_000)}\nx\n`,
    expected: isRead,
  },
  {
    id: "A3",
    what: "AsciiDoc blocks inside blocks",
    name: "a3.adoc",
    make: () => `= Hello world\n\nHello world.\n\n${sequence(3_000, (n) => `${"=".repeat(4 + (n % 300))}\n`)}`,
    expected: isRead,
  },
  {
    id: "G1",
    what: "Org that includes files and runs programs",
    name: "g1.org",
    make: () =>
      `* Hello world\n#+INCLUDE: "/etc/passwd"\n#+BEGIN_SRC sh :results output :exports both\nid\n#+END_SRC\n#+MACRO: m (eval (shell-command "id"))\n{{{m}}}\n`,
    expected: isRead,
  },
  {
    id: "G2",
    what: "Org stars, 1,500 deep",
    name: "g2.org",
    make: () => `* Hello world\n${sequence(1_500, (n) => `${"*".repeat(n + 1)} x\n`)}`,
    expected: isRead,
  },
];

const environment = (): Record<string, string> => ({ PARSER_MAX_TABLE_CELLS: "250000" });

testHostileFamily({ family: "markup", environment }, [...light, ...programs]);
