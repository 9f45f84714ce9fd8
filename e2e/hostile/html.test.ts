import { sequence } from "@attune/testkit/hostile/floods.ts";
import { type Expectation, type HostileCase, testHostileFamily } from "./hostile-family.ts";

const isRead: Expectation = { readBecause: "the text is there", content: /Hello world/, lacks: /root:|uid=/ };
const noScript: Expectation = {
  readBecause: "text stays, what runs goes",
  content: /Hello world/,
  lacks: /javascript:|vbscript:|alert\(|onerror|<script|root:/i,
};
const page = (content: string): string => `<!DOCTYPE html><html><body><p>Hello world.</p>${content}</body></html>`;

const pages: HostileCase[] = [
  {
    id: "H1",
    what: "100,000 divisions inside one another",
    name: "h1.html",
    make: () => page("<div>".repeat(100_000)),
    expected: isRead,
  },
  {
    id: "H2",
    what: "200,000 letters set bold inside bold",
    name: "h2.html",
    make: () => page("<b>x".repeat(200_000)),
    expected: isRead,
  },
  {
    id: "H3",
    what: "tables inside tables, 50,000 deep",
    name: "h3.html",
    make: () => page("<table><tr><td>".repeat(50_000)),
    expected: isRead,
  },
  {
    id: "H4",
    what: "links and paragraphs that overlap",
    name: "h4.html",
    make: () => page("<a><p><b><i>x".repeat(20_000)),
    expected: isRead,
  },
  {
    id: "H5",
    what: "an element of 200,000 attributes",
    name: "h5.html",
    make: () => page(`<p ${sequence(200_000, (n) => `a${n}=x `)}>y</p>`),
    expected: isRead,
  },
  {
    id: "H6",
    what: "a cell of 2e9 rows and columns",
    name: "h6.html",
    make: () => page(`<table><tr><td rowspan=2000000000 colspan=2000000000>x</td></tr><tr><td>y</td></tr></table>`),
    expected: isRead,
  },
  {
    id: "H6b",
    what: "20,000 cells that each span 1,000 columns",
    name: "h6b.html",
    make: () => page(`<table>${"<tr><td colspan=1000 rowspan=60000>x</td></tr>".repeat(20_000)}</table>`),
    expected: isRead,
  },
  {
    id: "H7",
    what: "comments that never end",
    name: "h7.html",
    make: () => page("<!--".repeat(500_000)),
    expected: isRead,
  },
  {
    id: "H8",
    what: "700,000 beginnings of tags",
    name: "h8.html",
    make: () => page("<a ".repeat(700_000)),
    expected: isRead,
  },
  {
    id: "H9",
    what: "400,000 entities",
    name: "h9.html",
    make: () => page("&amp;&nbsp;&#x1F600;&unknown;".repeat(100_000)),
    expected: isRead,
  },
  {
    id: "H10",
    what: "lists inside lists, 20,000 deep",
    name: "h10.html",
    make: () => page("<ul><li>x".repeat(20_000)),
    expected: isRead,
  },
  {
    id: "H12",
    what: "verbatim text of a million spaces before a letter",
    name: "h12.html",
    make: () => page(`<pre>${" ".repeat(1_000_000)}x</pre><code>${" ".repeat(1_000_000)}x</code>`),
    expected: isRead,
  },
  {
    id: "O21",
    what: "scripts in every place a browser runs them",
    name: "o21.html",
    make: () =>
      page(
        `<script>alert(1)</script><a href="javascript:alert(1)">x</a><a href=" java\nscript:alert(1)">y</a><img src=x onerror=alert(1)><svg><style><img src onerror=alert(1)></style></svg><iframe srcdoc="<script>alert(1)</script>"></iframe><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
      ),
    expected: noScript,
  },
  {
    id: "O21b",
    what: "refresh, base and frames",
    name: "o21b.html",
    make: () =>
      `<meta http-equiv=refresh content="0;url=file:///etc/passwd"><base href="javascript:alert(1)//"><frameset><frame src="file:///etc/passwd"></frameset><p>Hello world.</p><object data="file:///etc/passwd"></object>`,
    expected: noScript,
  },
  {
    id: "H11",
    what: "a page that says it is UTF-7",
    name: "h11.html",
    make: () => `<meta charset="utf-7">+ADw-script+AD4-alert(1)<p>Hello world.</p>`,
    expected: { readBecause: "UTF-7 is never decoded", content: /Hello world/, lacks: /<script/ },
  },
];

const environment = (): Record<string, string> => ({ PARSER_MAX_TABLE_CELLS: "250000" });

testHostileFamily({ family: "HTML", environment }, pages);
