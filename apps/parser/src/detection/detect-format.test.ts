import { describe, expect, test } from "vitest";
import type { Format } from "../readers/format.ts";
import { createProbe } from "./create-probe.ts";
import { detectFormat, findFormat } from "./detect-format.ts";

const format = (name: string, rest: Partial<Format> = {}): Format => ({
  name,
  description: name,
  extensions: [name],
  mediaTypes: [],
  ...rest,
});
const txt = format("txt", { isText: true });
const md = format("md", { isText: true, sniff: ({ headText }) => (headText === undefined ? 0 : 0.2) });
const gz = format("gz", { sniff: ({ head }) => (head[0] === 0x1f ? 1 : 0) });
const tarGz = format("tgz", { extensions: ["tgz", "tar.gz"], sniff: ({ head }) => (head[0] === 0x1f ? 1 : 0) });
const pdf = format("pdf", { sniff: ({ headLatin1 }) => (headLatin1.startsWith("%PDF") ? 1 : 0) });
const json = format("json", { isText: true, mediaTypes: ["application/json"] });
const broken = format("broken", {
  sniff: () => {
    throw new Error("sniffer");
  },
});
const formats = [txt, md, gz, tarGz, pdf, json, broken];
const text = Buffer.from("Some words, no signature.\n");

const detect = (bytes: Uint8Array, hints = {}) => detectFormat(createProbe(bytes), hints, formats);

describe("detectFormat", () => {
  test("certain bytes win over every hint and tell which hint was wrong", () => {
    expect(detect(Buffer.from("%PDF-1.7"), { fileName: "a.md" })).toEqual({ format: pdf, contradictedHint: md });
  });

  test("a hint of a text format wins over a weak sign of another", () => {
    expect(detect(text, { fileName: "notes.txt" })).toEqual({ format: txt });
  });

  test("a hint of a binary format is not believed when the bytes are text", () => {
    expect(detect(text, { fileType: "pdf" })).toEqual({ format: md, contradictedHint: pdf });
  });

  test("a second hint counts when the first is impossible", () => {
    expect(detect(text, { fileType: "pdf", fileName: "a.json" })).toEqual({ format: json, contradictedHint: pdf });
  });

  test("an unknown extension on text gives the likeliest text format", () => {
    expect(detectFormat(createProbe(text), { fileName: "a.xyzzy" }, [txt, pdf])).toEqual({ format: txt });
  });

  test("the longest extension decides between equally sure formats", () => {
    expect(detect(Buffer.of(0x1f, 0x8b, 8, 0), { fileName: "a.tar.gz" })?.format).toBe(tarGz);
    expect(detect(Buffer.of(0x1f, 0x8b, 8, 0), { fileName: "a.gz" })?.format).toBe(gz);
  });

  test("bytes that are no text and no known format have no format", () => {
    expect(detect(Buffer.of(0, 1, 2, 3, 4, 5, 6, 7), { fileName: "a.txt" })).toBeUndefined();
  });

  test("folders in a file name say nothing of its type", () => {
    expect(detectFormat(createProbe(text), { fileName: "a.json/readme" }, [txt, json])?.format).toBe(txt);
  });
});

describe("findFormat", () => {
  test.each([
    ["PDF", "pdf"],
    [".tar.gz", "tgz"],
    ["application/json; charset=utf-8", "json"],
    ["application/geo+json", "json"],
    ["nonsense", undefined],
  ])("%s stands for %s", (type, name) => {
    expect(findFormat(type, formats)?.name).toBe(name);
  });
});
