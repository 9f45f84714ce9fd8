import { expect, test } from "vitest";
import { toContentDisposition } from "./content-disposition.ts";

test.each([
  ["report.csv", `attachment; filename="report.csv"; filename*=UTF-8''report.csv`],
  ["报告.pdf", `attachment; filename="__.pdf"; filename*=UTF-8''%E6%8A%A5%E5%91%8A.pdf`],
  ['a"b\\c.txt', `attachment; filename="a_b_c.txt"; filename*=UTF-8''a_b_c.txt`],
  ["a\r\nSet-Cookie: x", `attachment; filename="aSet-Cookie_ x"; filename*=UTF-8''aSet-Cookie_%20x`],
  ["../../etc/passwd", `attachment; filename="_.._etc_passwd"; filename*=UTF-8''_.._etc_passwd`],
  ["exe\u202Efdp.", `attachment; filename="exefdp"; filename*=UTF-8''exefdp`],
  ["it's (1)*.txt", `attachment; filename="it's (1)_.txt"; filename*=UTF-8''it%27s%20%281%29_.txt`],
  ["\uD800", `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ["..", `attachment; filename="download"; filename*=UTF-8''download`],
  ["", `attachment; filename="download"; filename*=UTF-8''download`],
])("%j is told as %s", (name, header) => {
  expect(toContentDisposition(name)).toBe(header);
});

test("a long name is shortened before its extension", () => {
  const header = toContentDisposition(`${"長".repeat(300)}.tar`);
  const name = decodeURIComponent(/UTF-8''(.*)$/.exec(header)?.[1] ?? "");
  expect([name.endsWith(".tar"), Buffer.byteLength(name) <= 200]).toEqual([true, true]);
});
