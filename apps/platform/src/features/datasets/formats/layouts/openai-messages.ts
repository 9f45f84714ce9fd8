import type { Message } from "../example.ts";
import type { JsonObject } from "../json-value.ts";
import { isJsonArray, isJsonObject } from "../json-value.ts";
import { sideOf } from "./check-turns.ts";
import type { Layout, Report } from "./layout.ts";
import { readList, readTools } from "./read-fields.ts";
import { readMessages, renderMessages } from "./read-messages.ts";

const has = (row: object, key: string): boolean => Object.hasOwn(row, key);

/** `{"messages": [{"role", "content"}], "tools"}`, as OpenAI and TRL write it. */
export const openaiMessages: Layout = {
  name: "openai_messages",
  format: "openai_messages",
  kind: "sft",
  keys: ["messages", "tools"],
  matches: (row) =>
    isJsonArray(row["messages"]) && !row["messages"].some((turn) => isJsonObject(turn) && has(turn, "from")),
  read(row, report) {
    const values = readList(row, "messages", report);
    const messages = values && readMessages(values, "/messages", report);
    const tools = readTools(row, report);
    if (!messages || !checkConversation(messages, "/messages", report)) return undefined;
    return { kind: "sft", messages, ...(tools === undefined ? {} : { tools }) };
  },
  render(example) {
    if (example.kind !== "sft") return { refusal: "WRONG_KIND" };
    return { value: { messages: renderMessages(example.messages), ...withTools(example.tools) }, losses: [] };
  },
};

/** TRL's `{"prompt": [messages], "completion": [messages]}`, whose completion alone is trained. */
export const trlPromptCompletion: Layout = {
  name: "trl_prompt_completion",
  format: "openai_messages",
  kind: "sft",
  keys: ["prompt", "completion", "tools"],
  matches: (row) => isJsonArray(row["prompt"]) && isJsonArray(row["completion"]) && !has(row, "label"),
  read(row, report) {
    const prompt = readList(row, "prompt", report);
    const completion = readList(row, "completion", report);
    const messages =
      prompt && completion && readMessages([...prompt, ...completion], "", inTwoColumns(prompt.length, report));
    const tools = readTools(row, report);
    if (!messages || !checkConversation(messages, "/completion", report)) return undefined;
    const context = messages.slice(0, prompt.length).map(asContext);
    return {
      kind: "sft",
      messages: [...context, ...messages.slice(prompt.length)],
      ...(tools === undefined ? {} : { tools }),
    };
  },
  render(example) {
    if (example.kind !== "sft") return { refusal: "WRONG_KIND" };
    const { messages, tools } = example;
    // The completion begins at the last answer before which everything is context.
    const lastContext = messages.findLastIndex(({ role, weight }) => sideOf(role) !== "assistant" || weight === 0);
    const isTrainedBefore = messages
      .slice(0, lastContext + 1)
      .some((turn) => turn.role === "assistant" && turn.weight !== 0);
    if (lastContext + 1 >= messages.length) return { refusal: "NO_FINAL_ANSWER" };
    if (isTrainedBefore) return { refusal: "SEVERAL_TRAINED_TURNS" };
    const prompt = renderMessages(messages.slice(0, lastContext + 1).map(withoutWeight));
    return {
      value: { prompt, completion: renderMessages(messages.slice(lastContext + 1)), ...withTools(tools) },
      losses: [],
    };
  },
};

/** Turns "/3/role" of the joined messages into "/prompt/3/role" or "/completion/1/role". */
const inTwoColumns =
  (promptLength: number, report: Report): Report =>
  (code, pointer, detail) => {
    const [, index = "0", ...steps] = pointer.split("/");
    const inCompletion = Number(index) - promptLength;
    const column = inCompletion < 0 ? `/prompt/${index}` : `/completion/${inCompletion}`;
    report(code, [column, ...steps].join("/"), detail);
  };

const asContext = (message: Message): Message => (message.role === "assistant" ? { ...message, weight: 0 } : message);

function withoutWeight(message: Message): Message {
  const { weight, ...rest } = message;
  return weight === undefined ? message : rest;
}

/** Tools go into a file as a JSON string, so that `datasets` infers one type for the column. */
export const withTools = (tools: string | undefined): JsonObject => (tools === undefined ? {} : { tools });

function checkConversation(messages: readonly Message[], pointer: string, report: Report): boolean {
  const first = messages.find(({ role }) => role !== "system");
  if (!messages.some(({ role }) => role === "assistant") || messages.length < 2) report("TOO_FEW_TURNS", pointer);
  else if (messages.at(-1)?.role !== "assistant") report("NO_ANSWER", pointer);
  else if (first?.role === "assistant") report("STARTS_WITH_ASSISTANT", pointer);
  else return true;
  return false;
}
