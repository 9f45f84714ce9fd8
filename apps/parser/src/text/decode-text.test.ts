import iconv from "iconv-lite";
import { describe, expect, test } from "vitest";
import { decodeText } from "./decode-text.ts";

const russian = "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний.";
const samples: readonly (readonly [string, string])[] = [
  ["windows-1251", russian],
  ["koi8-r", russian],
  ["cp866", russian],
  ["cp855", russian],
  ["iso-8859-5", russian],
  ["maccyrillic", russian],
  ["windows-1252", "Voix ambiguë d’un cœur qui au zéphyr préfère les jattes de kiwis. Élève à l'école, déjà vu."],
  ["windows-1250", "Pchnąć w tę łódź jeża lub ośm skrzyń fig. Książka kosztuje pięć złotych."],
  ["iso-8859-2", "Pchnąć w tę łódź jeża lub ośm skrzyń fig. Książka kosztuje pięć złotych."],
  ["windows-1253", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία και ξέρω ότι είναι καλύτερα."],
  ["windows-1254", "İstanbul'da güneşli bir gün; çocuklar şarkı söylüyor ve ağaçların altında oynuyor."],
  ["windows-1255", "דג סקרן שט בים מאוכזב ולפתע מצא חברה נעימה."],
  ["windows-1256", "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق"],
  ["windows-874", "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน"],
  ["gb18030", "中文信息处理是自然语言处理的一个分支。"],
  ["big5", "中文資訊處理是自然語言處理的一個分支。"],
  ["shift_jis", "日本語の文字コード検出テストです。"],
  ["euc-jp", "日本語の文字コード検出テストです。"],
  ["euc-kr", "한국어 문자 인코딩 감지 시험입니다."],
  ["utf-16le", "Plain English without a mark.\n"],
  ["utf-16be", "你好，世界"],
  ["utf-16le", "产品说明书，第一章。"],
  ["utf-32le", "Plain English without a mark.\n"],
  ["utf-32be", "Текст и 中文.\n"],
];

test.each(samples)("%s is recognised by its bytes: %s", (encoding, text) => {
  const decoded = decodeText(iconv.encode(text, encoding));

  expect(decoded.text).toBe(text);
  expect(decoded).toMatchObject({ origin: "detected", replacedCount: 0 });
});

describe("order of evidence", () => {
  test("the override stands above a byte order mark", () => {
    const bytes = Buffer.from("\u{feff}ab", "utf8");

    expect(decodeText(bytes, { encoding: "latin1" })).toMatchObject({ origin: "override", encoding: "windows-1252" });
  });

  test("an override that names no encoding is refused", () => {
    expect(() => decodeText(Buffer.from("x"), { encoding: "klingon-8" })).toThrow(/OVERRIDE_INVALID.*klingon-8/);
  });

  test.each(["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"])(
    "the mark of %s is obeyed and removed",
    (name) => {
      const decoded = decodeText(iconv.encode("Grüße", name, { addBOM: true }));

      expect(decoded).toMatchObject({ text: "Grüße", encoding: name, origin: "bom" });
    },
  );

  test("valid UTF-8 wins over a declared charset", () => {
    expect(decodeText(Buffer.from("Grüße"), { charset: "latin1" })).toMatchObject({ text: "Grüße", origin: "utf-8" });
  });

  test("a declared charset that fits is used", () => {
    const decoded = decodeText(iconv.encode("čaší žít", "iso-8859-2"), { charset: "iso-8859-2" });

    expect(decoded).toMatchObject({ text: "čaší žít", origin: "declared" });
  });

  test("a declared charset that makes mojibake loses to detection", () => {
    const decoded = decodeText(iconv.encode(russian, "windows-1251"), { charset: "iso-8859-1" });

    expect(decoded).toMatchObject({ text: russian, origin: "detected" });
  });

  test("a declared charset whose bytes are not valid loses to detection", () => {
    const decoded = decodeText(iconv.encode(russian, "windows-1251"), { charset: "utf-8" });

    expect(decoded).toMatchObject({ text: russian, origin: "detected" });
  });

  test("an XML declaration inside the text counts as declared", () => {
    const text = '<?xml version="1.0" encoding="iso-8859-2"?><a>čaší žít</a>';

    expect(decodeText(iconv.encode(text, "iso-8859-2"))).toMatchObject({ text, origin: "declared" });
  });
});

describe("damaged and partial bytes", () => {
  test("UTF-8 with a stray byte stays UTF-8 and the byte is counted", () => {
    const bytes = Buffer.concat([
      Buffer.from("здравствуйте, это длинный текст"),
      Buffer.of(0xff),
      Buffer.from("конец"),
    ]);

    expect(decodeText(bytes)).toMatchObject({ encoding: "utf-8", replacedCount: 1 });
  });

  test("a character cut at the end of a part is left out, not replaced", () => {
    const bytes = Buffer.from("日本").subarray(0, 5);

    expect(decodeText(bytes, { isPart: true })).toMatchObject({ text: "日", encoding: "utf-8", replacedCount: 0 });
  });

  test("ISO-2022-JP is told by its escape sequences", () => {
    const bytes = Buffer.from("\u001b$B$3$s$K$A$O\u001b(B", "latin1");

    expect(decodeText(bytes)).toMatchObject({ text: "こんにちは", encoding: "iso-2022-jp" });
  });

  test("Johab syllables and letters are composed by the rule of KS X 1001", () => {
    const bytes = Buffer.of(0xd0, 0x65, 0x8b, 0x69, 0x20, 0x41);

    expect(decodeText(bytes, { encoding: "johab" }).text).toBe("한글 A");
  });

  test("ten megabytes of a legacy encoding are decoded in seconds", () => {
    const line = iconv.encode(`${russian}\n`, "windows-1251");
    const bytes = Buffer.concat(Array.from({ length: Math.ceil(1e7 / line.length) }, () => line));
    const startedAt = performance.now();

    expect(decodeText(bytes).encoding).toBe("windows-1251");
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
