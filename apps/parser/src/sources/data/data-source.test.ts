import { AppError } from "@attune/service-kit/app-error.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDataSource } from "./data-source.ts";

async function openText(url: string, maxBytes = 1_000) {
  try {
    const { stream, ...rest } = await createDataSource({ maxBytes }).open(url, new AbortController().signal);
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return { ...rest, text: Buffer.concat(chunks).toString() };
  } catch (error) {
    return error instanceof AppError ? error.reason : String(error);
  }
}

describe("the data source", () => {
  it.each([
    ["data:,hello", { text: "hello", sizeBytes: 5 }],
    ["data:,", { text: "", sizeBytes: 0 }],
    ["DATA:text/csv,a%2Cb%0A", { text: "a,b\n", sizeBytes: 4, mediaType: "text/csv" }],
    ["data:text/html;charset=GBK,x", { text: "x", sizeBytes: 1, mediaType: "text/html", charset: "gbk" }],
    ["data:;charset=utf-8,%C3%A9", { text: "é", sizeBytes: 2, mediaType: "text/plain", charset: "utf-8" }],
    ["data:application/pdf;base64,aGVsbG8=", { text: "hello", sizeBytes: 5, mediaType: "application/pdf" }],
    [
      "data:text/plain;charset=utf-8;base64,w6k",
      { text: "é", sizeBytes: 2, mediaType: "text/plain", charset: "utf-8" },
    ],
    ["data:;base64,aGVs\r\nbG8%3D", { text: "hello", sizeBytes: 5 }],
    ["data:;base64,_-8=", { text: Buffer.from([0xff, 0xef]).toString(), sizeBytes: 2 }],
    ["data:,a b é ☃", { text: "a b é ☃", sizeBytes: 10 }],
  ])("reads %s", async (url, expected) => {
    expect(await openText(url)).toEqual(expected);
  });

  it.each([
    "data:",
    "data:text/plain",
    "data:;base64,a*b=",
    "data:;base64,aaaaa",
    "data:;base64,aGVsbG8=x",
    "data:,100%",
    "data:,%zz",
    "data:,a#b",
    "data:text/plain\u0000,a",
  ])("refuses %j", async (url) => {
    expect(await openText(url)).toBe("FILE_URL_INVALID");
  });

  it("refuses more than its limit", async () => {
    expect(await openText(`data:,${"a".repeat(11)}`, 10)).toBe("FILE_TOO_LARGE");
    expect(await openText(`data:;base64,${"aaaa".repeat(1_000_000)}`, 10)).toBe("FILE_TOO_LARGE");
    expect(await openText(`data:,${"a".repeat(10)}`, 10)).toMatchObject({ sizeBytes: 10 });
  });

  it("gives back any bytes, in either form", async () => {
    const source = createDataSource({ maxBytes: 1_000 });
    const property = fc.asyncProperty(fc.uint8Array(), async (bytes) => {
      const escaped = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
      for (const url of [`data:,${escaped}`, `data:;base64,${Buffer.from(bytes).toString("base64")}`]) {
        const { stream } = await source.open(url, new AbortController().signal);
        const chunks = [];
        for await (const chunk of stream) chunks.push(chunk);
        expect(Buffer.concat(chunks)).toEqual(Buffer.from(bytes));
      }
    });
    await fc.assert(property);
  });
});
