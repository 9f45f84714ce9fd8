import type { Layout } from "./layout.ts";
import { readText } from "./read-fields.ts";

const questionAndAnswer =
  /^\s*(?:Q|Question|User|Human|问|问题)\s*[:：][\s\S]*\n\s*(?:A|Answer|Assistant|答|回答|答案)\s*[:：]/i;

/** `{"text"}`: plain text for continued pre-training. */
export const cpt: Layout = {
  name: "cpt",
  format: "cpt",
  kind: "cpt",
  keys: ["text"],
  matches: (row) => Object.hasOwn(row, "text") && !Object.hasOwn(row, "instruction") && !Object.hasOwn(row, "messages"),
  read(row, report) {
    const text = readText(row, { key: "text", blank: "EMPTY_TEXT" }, report);
    if (text === undefined) return undefined;
    if (questionAndAnswer.test(text.slice(0, 4000))) report("CPT_LOOKS_LIKE_QA", "/text");
    return { kind: "cpt", text };
  },
  render: (example) =>
    example.kind === "cpt" ? { value: { text: example.text }, losses: [] } : { refusal: "WRONG_KIND" },
};
