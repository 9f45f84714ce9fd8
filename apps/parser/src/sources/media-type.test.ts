import { describe, expect, it } from "vitest";
import { parseMediaType } from "./media-type.ts";

describe("parseMediaType", () => {
  it.each([
    ["text/html", { mediaType: "text/html" }],
    ["Text/HTML; Charset=GB18030", { mediaType: "text/html", charset: "gb18030" }],
    [`text/plain; format=flowed; charset="UTF-8"`, { mediaType: "text/plain", charset: "utf-8" }],
    ["application/vnd.ms-excel;charset=", { mediaType: "application/vnd.ms-excel" }],
    ["text/html, text/plain", {}],
    ["nonsense", {}],
    ["", {}],
  ])("reads %j", (text, expected) => {
    expect(parseMediaType(text)).toEqual(expected);
  });
});
