import { describe, expect, it } from "vitest";
import { findFileName } from "./find-file-name.ts";

const url = "https://example.com/folder/from%20path.pdf?name=no";

describe("findFileName", () => {
  it.each([
    [`attachment; filename="report.pdf"`, "report.pdf"],
    [`attachment; filename=report.pdf`, "report.pdf"],
    [`ATTACHMENT; FILENAME = "report.pdf" ; size=3`, "report.pdf"],
    [`attachment; filename="fallback.pdf"; filename*=UTF-8''%E5%A0%B1%E5%91%8A.pdf`, "報告.pdf"],
    [`attachment; filename*=UTF-8'en'na%C3%AFve%20plan.pdf; filename="fallback.pdf"`, "naïve plan.pdf"],
    [`attachment; filename*=iso-8859-1''na%EFve.pdf`, "naïve.pdf"],
    [`attachment; filename*=UTF-8''%FF%FE.pdf; filename="fallback.pdf"`, "fallback.pdf"],
    [`attachment; filename="a \\"quoted\\" name.pdf"`, `a "quoted" name.pdf`],
    [`attachment; filename="${Buffer.from("報告.pdf").toString("latin1")}"`, "報告.pdf"],
    [`attachment; filename="%E5%A0%B1.pdf"`, "報.pdf"],
    [`attachment; filename="../../etc/passwd"`, "passwd"],
    [`attachment; filename="C:\\\\Users\\\\x\\\\plan.docx"`, "plan.docx"],
    [`attachment; filename*=UTF-8''..%2F..%2Fevil.sh`, "evil.sh"],
    [`attachment; filename=".."`, "from path.pdf"],
    [`attachment; filename="a\u202Efdp.exe"`, "afdp.exe"],
    [`attachment`, "from path.pdf"],
    [undefined, "from path.pdf"],
  ])("reads %j as %j", (header, name) => {
    expect(findFileName(header, url)).toBe(name);
  });

  it("has none where the address ends in a slash", () => {
    expect(findFileName(undefined, "https://example.com/")).toBeUndefined();
  });

  it("shortens names that no file system takes", () => {
    expect(findFileName(`x; filename="${"a".repeat(5_000)}"`, url)).toHaveLength(255);
  });
});
