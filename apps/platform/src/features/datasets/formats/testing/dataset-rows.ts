import { type FileValidation, type FileValidationOptions, validateFile } from "../validate-file.ts";

/** One good row of each layout. */
export const good = {
  alpaca: { instruction: "Say hi", input: "", output: "hi" },
  sharegpt: { conversations: [turn("human", "Say hi"), turn("gpt", "hi")] },
  openai: { messages: [message("user", "Say hi"), message("assistant", "hi")] },
  dpoAlpaca: { instruction: "Say hi", chosen: "hi", rejected: "no" },
  dpoShare: { conversations: [turn("human", "Say hi")], chosen: turn("gpt", "hi"), rejected: turn("gpt", "no") },
  dpoTrl: { prompt: "Say hi", chosen: "hi", rejected: "no" },
  ktoTrl: { prompt: "Say hi", completion: "hi", label: true },
  cpt: { text: "Once upon a time." },
};

export function turn(from: string, value: unknown): { from: string; value: unknown } {
  return { from, value };
}

export function message(role: string, content: unknown): { role: string; content: unknown } {
  return { role, content };
}

export function share(...roles: readonly string[]): { conversations: object[] } {
  return { conversations: roles.map((role, index) => turn(role, `turn ${index}`)) };
}

export const validateRows = (
  rows: readonly object[],
  options: Partial<FileValidationOptions> = {},
): Promise<FileValidation> =>
  validate(rows.map((row) => JSON.stringify(row)).join("\n"), { fileType: "jsonl", ...options });

async function* streamOf(file: string | Buffer): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(file as string);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

export const validate = (file: string | Buffer, options: FileValidationOptions): Promise<FileValidation> =>
  validateFile(streamOf(file), options);
