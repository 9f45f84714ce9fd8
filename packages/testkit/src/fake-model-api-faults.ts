import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** One way in which a request goes wrong. */
export type FakeModelFault =
  /** An error in the form of the protocol. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly message?: string;
      readonly code?: string;
      readonly param?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** A body of any kind. */
  | { readonly kind: "body"; readonly status?: number; readonly contentType?: string; readonly body: string | Buffer }
  /** The page of a gateway. */
  | { readonly kind: "html-error"; readonly status?: number }
  /** The connection is reset before any byte of the answer. */
  | { readonly kind: "reset-before-answer" }
  /** Some tokens of a stream, then the connection is reset. */
  | { readonly kind: "reset-mid-stream" }
  /** Some tokens of a stream, then the connection is closed as if that were all. */
  | { readonly kind: "end-mid-stream" }
  /** Some tokens of a stream, then an event with an error, then the end. */
  | { readonly kind: "error-mid-stream"; readonly message?: string }
  /** Some tokens of a stream, then nothing more, with the connection open. */
  | { readonly kind: "stall-mid-stream" }
  /** Nothing at all, with the connection open. */
  | { readonly kind: "stall-before-answer" }
  /** Status 200 and JSON that ends in its middle. */
  | { readonly kind: "truncated-json" }
  /** Fewer bytes than Content-Length says. */
  | { readonly kind: "short-body" }
  /** A stream of tokens without end. */
  | { readonly kind: "endless-stream" }
  | { readonly kind: "redirect"; readonly location: string; readonly status?: number };

/** Answers with a fault; ends when the answer has been sent, or the caller has gone. */
export async function playFault(fault: FakeModelFault, response: ServerResponse, signal: AbortSignal): Promise<void> {
  switch (fault.kind) {
    case "status":
      return sendStatus(fault, response);
    case "body":
      return send(response, { ...fault, contentType: fault.contentType ?? "application/json" });
    case "html-error":
      return send(response, { status: fault.status ?? 502, contentType: "text/html", body: gatewayPage });
    case "redirect":
      response.writeHead(fault.status ?? 307, { location: fault.location }).end();
      return;
    case "truncated-json":
      return send(response, { contentType: "application/json", body: '{"id":"x","object":"chat.completion","choi' });
    case "short-body":
      response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
      response.write('{"id":"x","object":"chat.comp', () => response.destroy());
      return;
    case "reset-before-answer":
      reset(response);
      return;
    case "stall-before-answer":
      await untilGone(signal);
      return;
    default:
      await playStreamFault(fault, response, signal);
  }
}

type StreamFault = Extract<FakeModelFault, { kind: `${string}-stream` }>;

async function playStreamFault(fault: StreamFault, response: ServerResponse, signal: AbortSignal): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk({ role: "assistant", content: "" }));
  response.write(chunk({ content: "Half of an " }));
  if (fault.kind === "stall-mid-stream") return untilGone(signal);
  if (fault.kind === "endless-stream") return sendEndlessly(response, signal);
  // The bytes before it must be on their way, or a reset takes them along.
  await sleep(50, undefined, { signal }).catch(() => {});
  if (fault.kind === "reset-mid-stream") return reset(response);
  if (fault.kind === "error-mid-stream") {
    const message = fault.message ?? "The server had an error while processing your request.";
    response.write(`data: ${JSON.stringify({ error: { message, type: "server_error", code: 500 } })}\n\n`);
  }
  response.end();
}

async function sendEndlessly(response: ServerResponse, signal: AbortSignal): Promise<void> {
  const text = "more ".repeat(1_000);
  while (!signal.aborted) {
    const isTaken = response.write(chunk({ content: text }));
    if (!isTaken) await Promise.race([new Promise((resolve) => response.once("drain", resolve)), untilGone(signal)]);
  }
}

function chunk(delta: Readonly<Record<string, unknown>>): string {
  const choices = [{ index: 0, delta, finish_reason: null }];
  const event = { id: "chatcmpl-fault", object: "chat.completion.chunk", created: 1, model: "fake-chat", choices };
  return `data: ${JSON.stringify(event)}\n\n`;
}

function sendStatus(fault: Extract<FakeModelFault, { kind: "status" }>, response: ServerResponse): void {
  const { status, headers = {}, code = null, param = null } = fault;
  const error = { message: fault.message ?? `Error ${status}.`, type: "error", param, code };
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify({ error }));
}

interface Sent {
  readonly status?: number;
  readonly contentType: string;
  readonly body: string | Buffer;
}

function send(response: ServerResponse, { status = 200, contentType, body }: Sent): void {
  response.writeHead(status, { "content-type": contentType }).end(body);
}

const gatewayPage =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n";

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

async function untilGone(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve, { once: true });
  });
}
