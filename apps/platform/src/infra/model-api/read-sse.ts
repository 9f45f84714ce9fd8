import { tooLarge } from "./exchange.ts";

const maxLineLength = 8 * 1024 * 1024;

/**
 * The data of server-sent events, as WHATWG HTML §9.2 reads them: lines end with LF, CR or CRLF, wherever the pieces are cut;
 * comments and other fields are left out. An event that the end cut is given too, so that its reader sees that it is cut.
 * @throws AppError `MODEL_API_ANSWER_TOO_LARGE` for a line of more than 8 Mi characters.
 */
export async function* readSse(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of readLines(bytes)) {
    if (line === "") {
      if (data.length > 0) yield data.join("\n");
      data = [];
    } else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    else if (line === "data") data.push("");
  }
  if (data.length > 0) yield data.join("\n");
}

async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending = "";
  let endsWithCr = false;
  for await (const chunk of bytes) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    // The LF of a CRLF that was cut between its characters.
    if (endsWithCr && text.startsWith("\n")) text = text.slice(1);
    endsWithCr = text.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      yield pending + line;
      pending = "";
    }
    pending += rest;
    if (pending.length > maxLineLength) throw tooLarge(maxLineLength);
  }
  if (pending !== "") yield pending;
}
