import { describe, expect, test } from "vitest";
import type { DatasetFileType } from "./reading/source-row.ts";
import { good, message, share, turn, validate, validateRows } from "./testing/dataset-rows.ts";

describe("whole files", () => {
  const row = JSON.stringify(good.alpaca);
  const files: readonly (readonly [
    name: string,
    DatasetFileType,
    string | Buffer,
    code: string,
    line: number,
    column: number,
  ])[] = [
    ["an array in .jsonl", "jsonl", `[${row}]`, "ARRAY_IN_JSONL", 1, 1],
    ["lines in .json", "json", `${row}\n${row}`, "LINES_IN_JSON", 1, 1],
    ["pretty-printed lines", "jsonl", `${JSON.stringify(good.alpaca, null, 2)}\n${row}`, "PRETTY_PRINTED_JSONL", 1, 1],
    ["a single object", "json", row, "SINGLE_OBJECT", 1, 1],
    ["an array inside an object", "json", `{"data": [${row}]}`, "WRAPPED_ARRAY", 1, 1],
    ["a comma after the last row", "json", `[${row},\n${row},\n]`, "TRAILING_COMMA", 3, 1],
    ["a comma that is missing", "json", `[${row}\n ${row}]`, "MISSING_COMMA", 2, 2],
    ["a file that was cut off", "json", `[${row},\n{"instruction":`, "ARRAY_NOT_CLOSED", 2, 16],
    ["text after the array", "json", `[${row}]\n]`, "TEXT_AFTER_ARRAY", 2, 1],
    ["UTF-16", "jsonl", Buffer.from(row, "utf16le"), "ENCODING_UTF16", 1, 1],
    ["GBK", "jsonl", Buffer.from('{"text":"\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7"}', "latin1"), "ENCODING_GBK", 1, 1],
    ["Latin-1", "jsonl", Buffer.from('{"text":"déjà vu"}', "latin1"), "ENCODING_NOT_UTF8", 1, 1],
    ["a byte order mark", "jsonl", `\u{feff}${row}`, "BOM_REMOVED", 1, 1],
    ["no rows", "json", "[]", "FILE_EMPTY", 1, 1],
    ["semicolons in CSV", "csv", "instruction;output\na;b", "CSV_DELIMITER", 1, 1],
  ];

  test.each(files)("%s", async (...[, fileType, file, code, line, column]) => {
    const { findings } = await validate(file, { fileType });

    expect(findings.map((finding) => finding.code)).toContain(code);
    expect(findings.find((finding) => finding.code === code)?.first[0]).toMatchObject({ line, column, row: undefined });
  });

  test("a file that is read although it is not what its name says keeps all its rows", async () => {
    const { counts, isUsable } = await validate(`[${row},\n${JSON.stringify(good.alpaca, null, 2)}]`, {
      fileType: "jsonl",
    });

    expect({ counts, isUsable }).toMatchObject({
      counts: { raw: 2, valid: 2, invalid: 0, duplicates: 1 },
      isUsable: true,
    });
  });

  test.each<[string, string, number]>([
    ["SINGLE_QUOTES", "{'instruction': 'a'}", 2],
    ["PYTHON_LITERAL", '{"instruction": None}', 17],
    ["NOT_FINITE", '{"instruction": NaN}', 17],
    ["TRAILING_COMMA", '{"instruction": "a",}', 21],
    ["UNQUOTED_KEY", '{instruction: "a"}', 2],
    ["COMMENT", '{"instruction": /* x */ "a"}', 17],
    ["CONTROL_CHARACTER", '{"instruction": "a\tb"}', 19],
    ["BAD_ESCAPE", '{"instruction": "C:\\dir"}', 20],
    ["ROW_NOT_CLOSED", '{"instruction": "a', 17],
    ["SEVERAL_VALUES_IN_LINE", '{"a": 1} {"b": 1}', 10],
    ["ROW_NOT_OBJECT", '["a"]', 1],
  ])("%s is told with line and column", async (code, line, column) => {
    const { findings, counts } = await validate(`${row}\n${line}\n${row}`, { fileType: "jsonl" });

    expect(findings.find((finding) => finding.code === code)?.first).toMatchObject([{ line: 2, row: 2, column }]);
    expect(counts).toMatchObject({ raw: 3, valid: 2, invalid: 1 });
  });

  test("a row of more than 16 MiB or of more than 32 levels is refused, and the rows after it are read", async () => {
    const long = JSON.stringify({ text: "x".repeat(16 * 1024 * 1024) });
    const deep = `{"text": ${"[".repeat(1_000_000)}`;
    const { findings, counts } = await validate([long, deep, JSON.stringify(good.cpt)].join("\n"), {
      fileType: "jsonl",
    });

    expect(findings.map(({ code, first }) => [code, first[0]?.line])).toEqual([
      ["ROW_TOO_DEEP", 2],
      ["ROW_TOO_LONG", 1],
    ]);
    expect(counts).toMatchObject({ raw: 3, valid: 1, invalid: 2 });
  });

  test("keys that stand twice and numbers with many digits are told, and kept as written", async () => {
    const line = '{"text": "a", "id": 12345678901234567890, "text": "b"}';
    const rows: string[] = [];
    const { findings } = await validate(line, {
      fileType: "jsonl",
      onRows: (batch) => void rows.push(...batch.map(({ source }) => source.text)),
    });

    expect(findings.map(({ code, first }) => [code, first[0]?.pointer, first[0]?.column])).toEqual([
      ["DUPLICATE_KEY", "/text", 43],
      ["NUMBER_PRECISION", "", 1],
      ["UNUSED_KEY", "/id", 1],
    ]);
    expect(rows).toEqual([line]);
  });

  test("CSV rows count from the line they begin on, and labels become booleans", async () => {
    const { layout, counts, findings } = await validate(
      'prompt,completion,label\r\n"a\nb",c,true\r\nd,e,FALSE\r\nf,g\r\n',
      { fileType: "csv" },
    );

    expect(layout).toBe("kto_trl");
    expect(counts).toMatchObject({ raw: 3, valid: 2, invalid: 1 });
    expect(findings[0]).toMatchObject({ code: "CSV_FIELD_COUNT", first: [{ line: 5, row: 3 }] });
  });
});

// What LLaMA-Factory and TRL would drop without a word, fail on in the middle of a run, or misread.
describe("rows that the loaders drop or misread", () => {
  const cases: readonly (readonly [code: string, pointer: string, row: object, sample: object])[] = [
    ["EMPTY_OUTPUT", "/output", { ...good.alpaca, output: " " }, good.alpaca],
    ["EMPTY_PROMPT", "/instruction", { ...good.alpaca, instruction: "" }, good.alpaca],
    ["KEY_MISSING", "/output", { instruction: "a" }, good.alpaca],
    ["NOT_A_STRING", "/output", { ...good.alpaca, output: 42 }, good.alpaca],
    ["NOT_A_STRING", "/input", { ...good.alpaca, input: ["a"] }, good.alpaca],
    ["HISTORY_PAIR", "/history/1", { ...good.alpaca, history: [["a", "b"], ["c"]] }, good.alpaca],
    ["EMPTY_OUTPUT", "/history/0/1", { ...good.alpaca, history: [["a", ""]] }, good.alpaca],
    ["TOOLS_INVALID", "/tools", { ...good.alpaca, tools: "{}" }, good.alpaca],
    ["STARTS_WITH_ASSISTANT", "/conversations/0", share("gpt", "human", "gpt"), good.sharegpt],
    ["CONSECUTIVE_ROLE", "/conversations/1", share("human", "human", "gpt"), good.sharegpt],
    ["SYSTEM_NOT_FIRST", "/conversations/2", share("human", "gpt", "system", "human", "gpt"), good.sharegpt],
    ["NO_ANSWER", "/conversations/2", share("human", "gpt", "human"), good.sharegpt],
    ["TOO_FEW_TURNS", "/conversations", share("human"), good.sharegpt],
    ["UNKNOWN_ROLE", "/conversations/1/from", share("human", "chatgpt"), good.sharegpt],
    ["TOOL_WITHOUT_CALL", "/conversations/2", share("human", "gpt", "observation", "gpt"), good.sharegpt],
    ["TOOL_CALL_INVALID", "/conversations/1/value", share("human", "function_call"), good.sharegpt],
    [
      "CONTENT_PARTS",
      "/messages/0/content",
      { messages: [message("user", [{ type: "text", text: "a" }]), message("assistant", "b")] },
      good.openai,
    ],
    [
      "NOT_A_STRING",
      "/messages/1/content",
      { messages: [message("user", "a"), message("assistant", null)] },
      good.openai,
    ],
    [
      "NO_ANSWER",
      "/messages",
      { messages: [message("user", "a"), message("assistant", "b"), message("user", "c")] },
      good.openai,
    ],
    [
      "TOOL_WITHOUT_CALL",
      "/messages/1",
      { messages: [message("user", "a"), message("tool", "b"), message("assistant", "c")] },
      good.openai,
    ],
    [
      "WEIGHT_INVALID",
      "/messages/1/weight",
      { messages: [message("user", "a"), { ...message("assistant", "b"), weight: 0.5 }] },
      good.openai,
    ],
    ["NOT_A_STRING", "/rejected", { ...good.dpoAlpaca, rejected: ["no"] }, good.dpoAlpaca],
    ["ENDS_WITH_ANSWER", "/conversations/1", { ...good.dpoShare, ...share("human", "gpt") }, good.dpoShare],
    ["UNKNOWN_ROLE", "/chosen/from", { ...good.dpoShare, chosen: turn("human", "hi") }, good.dpoShare],
    ["NOT_AN_OBJECT", "/rejected", { ...good.dpoShare, rejected: "no" }, good.dpoShare],
    ["MIXED_PREFERENCE", "", { ...good.dpoTrl, chosen: [message("assistant", "hi")] }, good.dpoTrl],
    [
      "OTHER_FORMAT",
      "",
      { prompt: [message("user", "a")], chosen: [message("assistant", "b")], rejected: [message("assistant", "c")] },
      good.dpoTrl,
    ],
    [
      "NO_COMMON_PROMPT",
      "",
      {
        chosen: [message("user", "a"), message("assistant", "b")],
        rejected: [message("user", "c"), message("assistant", "d")],
      },
      good.dpoTrl,
    ],
    ["NOT_A_BOOLEAN", "/label", { ...good.ktoTrl, label: "true" }, good.ktoTrl],
    ["NOT_A_BOOLEAN", "/kto_tag", { ...good.alpaca, kto_tag: 1 }, { ...good.alpaca, kto_tag: true }],
    ["NOT_A_STRING", "/text", { text: ["a", "b"] }, good.cpt],
    ["EMPTY_TEXT", "/text", { text: "\n" }, good.cpt],
    ["OTHER_FORMAT", "", good.sharegpt, good.alpaca],
  ];

  test.each(cases)("%s at %s", async (...[code, pointer, row, sample]) => {
    const { findings, counts } = await validateRows([sample, sample, row]);

    expect(findings.find((finding) => finding.code === code)?.first).toMatchObject([
      { line: 3, row: 3, pointer, severity: "error" },
    ]);
    expect(counts).toMatchObject({ raw: 3, valid: 2, invalid: 1, duplicates: 1 });
  });
});

describe("rows that are kept, but told", () => {
  const cases: readonly (readonly [code: string, pointer: string, row: object])[] = [
    ["ROLE_MAPPED", "/conversations/0/from", share("user", "assistant")],
    ["ROLE_MAPPED", "/messages/0/role", { messages: [message("human", "a"), message("gpt", "b")] }],
    ["TOOLS_AS_VALUE", "/tools", { ...good.sharegpt, tools: [{ name: "search" }] }],
    [
      "UNEVEN_ROLES",
      "/messages/1",
      { messages: [message("user", "a"), message("user", "b"), message("assistant", "c")] },
    ],
    ["SYSTEM_TWICE", "/system", { ...share("system", "human", "gpt"), system: "x" }],
    ["CHOSEN_EQUALS_REJECTED", "/rejected", { ...good.dpoAlpaca, rejected: " hi " }],
    ["SPECIAL_TOKEN", "/output", { ...good.alpaca, output: "bye<|im_end|>" }],
    ["DUPLICATE_BOS", "/text", { text: "<s> Once" }],
    ["LONE_SURROGATE", "/text", { text: "a\u{d800}b" }],
    ["REPLACEMENT_CHARACTER", "/text", { text: "a\u{fffd}b" }],
    ["WINDOWS_NEWLINE", "/text", { text: "a\r\nb" }],
    ["CPT_LOOKS_LIKE_QA", "/text", { text: "问：几点？\n答：三点。" }],
    ["MEDIA_IGNORED", "/images", { ...good.alpaca, images: ["a.png"] }],
    ["UNUSED_KEY", "/source~1page", { ...good.alpaca, "source/page": 3 }],
  ];

  test.each(cases)("%s at %s", async (code, pointer, row) => {
    const { findings, counts } = await validateRows([row]);

    expect(findings.find((finding) => finding.code === code)?.first[0]).toMatchObject({ row: 1, pointer });
    expect(counts.valid).toBe(1);
  });

  test("the first 20 places of a code are kept, all are counted", async () => {
    const { findings } = await validateRows(Array.from({ length: 50 }, () => good.alpaca));

    expect(findings).toMatchObject([{ code: "DUPLICATE_ROW", severity: "warning", count: 49 }]);
    expect(findings[0]?.first.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
  });

  test("KTO data of one label is refused, and unbalanced data told", async () => {
    const rows = (yes: number, no: number): object[] =>
      Array.from({ length: yes + no }, (_, index) => ({ ...good.ktoTrl, prompt: `${index}`, label: index < yes }));

    expect(await validateRows(rows(3, 0))).toMatchObject({ isUsable: false, findings: [{ code: "ONE_LABEL_ONLY" }] });
    expect(await validateRows(rows(9, 2))).toMatchObject({ isUsable: true, findings: [{ code: "LABELS_UNBALANCED" }] });
    expect(await validateRows(rows(4, 1))).toMatchObject({ isUsable: true, findings: [] });
  });

  test("tokens are counted with the counter that is given", async () => {
    const tokens = { count: () => 7, max: 5 };
    const { counts, findings } = await validateRows([good.alpaca, good.alpaca], { tokens });

    expect(counts.tokens).toBe(14);
    expect(findings.map(({ code, count }) => [code, count])).toContainEqual(["LONGER_THAN_CONTEXT", 2]);
  });
});
