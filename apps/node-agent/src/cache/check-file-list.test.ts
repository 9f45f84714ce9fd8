import { describe, expect, it } from "vitest";
import { AppError } from "@attune/service-kit/app-error.ts";
import { checkFileList } from "./check-file-list.ts";

const limits = { maxFiles: 100, maxEntryBytes: 1000 };

function verdict(paths: readonly string[], sizeBytes = 1): string {
  try {
    checkFileList(
      paths.map((path) => ({ path, sizeBytes })),
      limits,
    );
    return "fine";
  } catch (error) {
    return error instanceof AppError ? error.reason : String(error);
  }
}

describe("the files of an entry", () => {
  it.each([
    "config.json",
    ".gitattributes",
    "a/b/c.txt",
    "with space",
    "ünïcode/文件",
    "..a",
    "a..",
    "...",
    "-rf",
    "ab:c",
    "~",
    "$HOME",
    "%2e%2e/x",
  ])("may be called %j", (path) => {
    expect(verdict([path])).toBe("fine");
  });

  it.each([
    "",
    "/",
    "/etc/passwd",
    "..",
    "../x",
    "a/..",
    "a/../b",
    ".",
    "./a",
    "a/./b",
    "a//b",
    "a/",
    "a\\b",
    "..\\x",
    "C:/x",
    "c:x",
    "a\0b",
    "a\nb",
    "a\u007fb",
    "a\u0085b",
    "a\u2028b",
    "\ud800",
    "x".repeat(256),
    "ü".repeat(128),
    `${"a/".repeat(32)}b`,
    `${"abc/".repeat(30)}${"d".repeat(250)}/${"d".repeat(250)}/${"d".repeat(250)}/${"d".repeat(250)}`,
  ])("may not be called %j", (path) => {
    expect(verdict([path])).toBe("CACHE_PATH_UNSAFE");
  });

  it.each([
    [["a", "a"]],
    [["a", "A"]],
    [["dir/x", "DIR/X"]],
    [["a", "a/b"]],
    [["a/b", "A"]],
    [["\u00e9", "e\u0301"]],
    [["stra\u00dfe", "STRASSE"]],
    [["\u03c2", "\u03c3"]],
  ])("may not be %j together", (paths) => {
    expect(verdict(paths)).toBe("CACHE_PATHS_COLLIDE");
    expect(verdict(paths.toReversed())).toBe("CACHE_PATHS_COLLIDE");
  });

  it("have bounds in number and size", () => {
    const paths = Array.from({ length: 101 }, (_value, index) => `f${index}`);
    expect(verdict(paths)).toBe("CACHE_TOO_MANY_FILES");
    expect(verdict(paths.slice(1), 10)).toBe("fine");
    expect(verdict(paths.slice(1), 11)).toBe("CACHE_TOO_LARGE");
    expect(verdict([])).toBe("CACHE_EMPTY");
  });
});
