/** One training example, whatever format it was written in. */
export type Example = SftExample | DpoExample | KtoExample | CptExample;

export interface SftExample {
  readonly kind: "sft";
  readonly messages: readonly Message[];
  readonly tools?: string;
}

export interface DpoExample {
  readonly kind: "dpo";
  readonly prompt: readonly Message[];
  readonly chosen: readonly Message[];
  readonly rejected: readonly Message[];
  readonly tools?: string;
}

export interface KtoExample {
  readonly kind: "kto";
  readonly prompt: readonly Message[];
  readonly completion: readonly Message[];
  readonly label: boolean;
  readonly tools?: string;
}

export interface CptExample {
  readonly kind: "cpt";
  readonly text: string;
}

export type ExampleKind = Example["kind"];
export const messageRoles = ["system", "user", "assistant", "tool"] as const;
export type MessageRole = (typeof messageRoles)[number];

export interface Message {
  readonly role: MessageRole;
  /** "" for a turn of the assistant that only calls tools. */
  readonly content: string;
  readonly name?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  /** 0: the turn is context, and not trained. */
  readonly weight?: 0;
}

export interface ToolCall {
  readonly id?: string;
  readonly name: string;
  /** JSON text of an object. */
  readonly arguments: string;
}

/** All messages of an example, in the order in which they stand in it; none for plain text. */
export function messagesOf(example: Example): readonly Message[] {
  if (example.kind === "cpt") return [];
  if (example.kind === "sft") return example.messages;
  const answers = example.kind === "dpo" ? [...example.chosen, ...example.rejected] : example.completion;
  return [...example.prompt, ...answers];
}
