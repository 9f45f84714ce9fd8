import { describe, expect, it } from "vitest";
import { parseAllowList } from "./allow-list.ts";
import { parseIpAddress } from "@attune/service-kit/addresses/ip-address.ts";

const address = (text: string) => parseIpAddress(text) ?? { family: 4 as const, value: 0n };

describe("parseAllowList", () => {
  it.each([
    ["minio", "minio", 9000, true],
    ["minio:9000", "minio", 9000, true],
    ["minio:9000", "minio", 9001, false],
    ["MinIO:9000", "minio", 9000, true],
    ["minio", "xminio", 9000, false],
    ["*.corp.example", "files.corp.example", 80, true],
    ["*.corp.example", "a.b.corp.example", 80, true],
    ["*.corp.example", "corp.example", 80, false],
    ["*.corp.example", "evilcorp.example", 80, false],
    ["*.corp.example:8443", "a.corp.example", 80, false],
  ])("with %s, asked for the name %s at %i, answers %j", (...[entry, name, port, expected]) => {
    expect(parseAllowList([entry]).allowsName(name, port)).toBe(expected);
  });

  it.each([
    ["10.1.0.0/16", "10.1.2.3", 80, true],
    ["10.1.0.0/16", "10.2.2.3", 80, false],
    ["10.1.0.0/16:9000", "10.1.2.3", 80, false],
    ["10.1.0.0/16:9000", "10.1.2.3", 9000, true],
    ["10.1.2.3", "::ffff:10.1.2.3", 80, true],
    ["[fd12::/16]:9000", "fd12::5", 9000, true],
    ["[fd12::/16]:9000", "fd12::5", 9001, false],
    ["fd12::/16", "fd12::5", 80, true],
    ["[::1]:8080", "::1", 8080, true],
    ["0.0.0.0/0", "127.0.0.1", 80, true],
    ["0.0.0.0/0", "169.254.169.254", 80, false],
    ["169.254.0.0/16", "169.254.169.254", 80, false],
    ["64:ff9b::/96", "64:ff9b::a9fe:a9fe", 80, false],
    ["169.254.169.254", "169.254.169.254", 80, true],
  ])("with %s, asked for the address %s at %i, answers %j", (...[entry, text, port, expected]) => {
    expect(parseAllowList([entry]).allowsAddress(address(text), port)).toBe(expected);
  });

  it("opens an unusual port only by an entry that names it", () => {
    const list = parseAllowList(["10.0.0.0/8", "db.example:5432", "10.0.0.7:25"]);
    expect(list.allowsPort("10.0.0.8", 5432)).toBe(false);
    expect(list.allowsPort("db.example", 5432)).toBe(true);
    expect(list.allowsPort("10.0.0.7", 25)).toBe(true);
  });

  it.each([
    "",
    "http://minio",
    "minio:x",
    "minio:70000",
    "10.0.0.0/33",
    "*",
    "*.*",
    "a b",
    "user@host",
    "10.1",
    "[::1",
  ])("refuses the entry %j", (entry) => {
    expect(() => parseAllowList([entry])).toThrow(TypeError);
  });
});
