import { describe, expect, it } from "vitest";
import { parseAllowList } from "./allow-list.ts";
import { judgeUrl } from "./judge-url.ts";

const nothingOpen = parseAllowList([]);

function reasonOf(judge: () => unknown): string {
  try {
    judge();
    return "passes";
  } catch (error) {
    return error instanceof Error && "reason" in error ? String(error.reason) : `threw ${String(error)}`;
  }
}

const refusedHosts: readonly (readonly [id: string, url: string])[] = [
  ["S1", "http://127.0.0.1/"],
  ["S2", "http://2130706433/"],
  ["S3", "http://0x7f000001/"],
  ["S4", "http://0177.0.0.1/"],
  ["S5", "http://127.1/"],
  ["S6", "http://0/"],
  ["S7", "http://[::1]/"],
  ["S8", "http://[::ffff:127.0.0.1]/"],
  ["S9", "http://[::127.0.0.1]/"],
  ["S10", "http://[64:ff9b::7f00:1]/"],
  ["S11", "http://[2002:7f00:1::]/"],
  ["S12", "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/"],
  ["S13", "http://[fe80::1]/"],
  ["S14", "http://[fec0::1]/"],
  ["S16", "http://[::5efe:10.0.0.1]/"],
  ["S17", "http://169.254.169.254/latest/meta-data/"],
  ["S17", "http://[fd00:ec2::254]/"],
  ["S17", "http://100.100.100.200/"],
  ["S17", "http://168.63.129.16/"],
  ["S17", "http://metadata.google.internal/computeMetadata/v1/"],
  ["S17", "http://metadata/"],
  ["S18", "http://①②⑦.⓪.⓪.①/"],
  ["S19", "http://127。0。0。1/"],
  ["S20", "http://localhost/"],
  ["S20", "http://localhost./"],
  ["S20", "http://localhost../"],
  ["S20", "http://LOCALHOST/"],
  ["S20", "http://a.localhost/"],
  ["S20", "http://router.local/"],
  ["S20", "http://db.internal/"],
  ["S20", "http://metadata.google.internal./"],
  ["S20", "http://intranet/"],
  ["S21", "HTTP://127.0.0.1/"],
  ["S26", "http://example.com:22/"],
  ["S26", "http://example.com:25/"],
  ["S26", "http://example.com:6379/"],
  ["S26", "http://example.com:5432/"],
  ["S26", "http://example.com:0/"],
];

const malformed: readonly (readonly [id: string, url: string])[] = [
  ["S15", "http://[fe80::1%25eth0]/"],
  ["S22", "ht\ttp://127.0.0.1/"],
  ["S22", "http://127.0.0.1\n/"],
  ["S22", " http://example.com/"],
  ["S22", "http://example.com/\u00a0"],
  ["S22", "http://exam\u0000ple.com/"],
  ["S22", "http://example.com/\u0085"],
  ["S23", "http://ok\\@127.0.0.1/"],
  ["S23", "http:\\\\127.0.0.1\\"],
  ["S24", "http://ok@127.0.0.1/"],
  ["S24", "http://127.0.0.1@example.com/"],
  ["S24", "http://user:password@example.com/"],
  ["S24", "http://@example.com/"],
  ["S25", "ftp://example.com/"],
  ["S25", "gopher://example.com:70/_"],
  ["S25", "javascript:alert(1)"],
  ["S25", "blob:http://example.com/1"],
  ["S25", "jar:http://example.com!/"],
  ["S25", "file:///etc/passwd"],
  ["S54", `http://example.com/${"a".repeat(4096)}`],
  ["", "http:///example.com/"],
  ["", "http:example.com"],
  ["", "http://"],
  ["", "//example.com/"],
  ["", ""],
  ["", "http://256.1.1.1/"],
  ["", "http://example.com:99999/"],
];

describe("judgeUrl", () => {
  it.each(refusedHosts)("refuses %s %s", (_id, url) => {
    expect(reasonOf(() => judgeUrl(url, nothingOpen))).toBe("FETCH_REFUSED");
  });

  it.each(malformed)("does not take %s %j for a URL it reads", (_id, url) => {
    expect(reasonOf(() => judgeUrl(url, nothingOpen))).toBe("FILE_URL_INVALID");
  });

  it.each([
    "http://example.com",
    "https://example.com/a%20b?q=1#f",
    "HTTPS://EXAMPLE.com:8443/",
    "http://example.com:8080/@x",
    "http://example.com./",
    "http://例え.jp/ファイル.pdf",
    "http://8.8.8.8:3000/",
    "http://[2606:4700:4700::1111]/",
  ])("lets %s pass", (url) => {
    expect(judgeUrl(url, nothingOpen)).toBeInstanceOf(URL);
  });

  it("says the same about every host that is not open", () => {
    const messages = refusedHosts
      .filter(([id]) => id !== "S26")
      .map(([, url]) => {
        try {
          return judgeUrl(url, nothingOpen).href;
        } catch (error) {
          return String(error);
        }
      });
    expect(new Set(messages).size).toBe(1);
  });

  it("opens what the operator allows, and only that", () => {
    const list = parseAllowList(["127.0.0.1:9000", "minio:6379", "*.internal"]);
    expect(reasonOf(() => judgeUrl("http://127.0.0.1:9000/", list))).toBe("passes");
    expect(reasonOf(() => judgeUrl("http://2130706433:9000/", list))).toBe("passes");
    expect(reasonOf(() => judgeUrl("http://127.0.0.1:9001/", list))).toBe("FETCH_REFUSED");
    expect(reasonOf(() => judgeUrl("http://minio:6379/", list))).toBe("passes");
    expect(reasonOf(() => judgeUrl("http://minio:9000/", list))).toBe("FETCH_REFUSED");
    expect(reasonOf(() => judgeUrl("http://files.internal/", list))).toBe("passes");
    expect(reasonOf(() => judgeUrl("http://files.internal:5432/", list))).toBe("FETCH_REFUSED");
  });
});
