/** One server-sent event. */
export interface ServerSentEvent {
  /** The last id that was sent, with this event or before; empty while there is none. */
  readonly id: string;
  /** `message` unless named. */
  readonly event: string;
  readonly data: string;
}

export interface ReadOptions {
  /** Called for whatever arrives, comments too: the connection lives. */
  readonly onAlive?: (() => void) | undefined;
  /** Called with each id, of events and of blocks without data, which only move the place to resume after. */
  readonly onId?: ((id: string) => void) | undefined;
}

/**
 * The events of a stream, as WHATWG HTML §9.2 reads them: lines end with LF, CR or CRLF wherever the pieces are cut, and an
 * event that the end cuts is left out, because it comes again after a resumption.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  { onAlive, onId }: ReadOptions = {},
): AsyncGenerator<ServerSentEvent> {
  const block = { id: "", event: "", data: [] as string[] };
  for await (const line of readLines(body, onAlive)) {
    if (line !== "") {
      readField(block, line);
      continue;
    }
    const { id, event, data } = block;
    if (id !== "") onId?.(id);
    if (data.length > 0) yield { id, event: event === "" ? "message" : event, data: data.join("\n") };
    Object.assign(block, { event: "", data: [] });
  }
}

function readField(block: { id: string; event: string; data: string[] }, line: string): void {
  const colon = line.indexOf(":");
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (field === "data") block.data.push(value);
  else if (field === "event") block.event = value;
  else if (field === "id" && !value.includes("\0")) block.id = value;
}

async function* readLines(body: AsyncIterable<Uint8Array>, onAlive: (() => void) | undefined): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending = "";
  let endsWithCr = false;
  for await (const piece of body) {
    onAlive?.();
    let text = decoder.decode(piece, { stream: true });
    if (text === "") continue;
    // The LF of a CRLF that was cut between its characters.
    if (endsWithCr && text.startsWith("\n")) text = text.slice(1);
    endsWithCr = text.endsWith("\r");
    const lines = (pending + text).split(/\r\n|\n|\r/);
    pending = lines.pop() ?? "";
    yield* lines;
  }
}
