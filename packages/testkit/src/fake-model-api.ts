import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { answerChat } from "./fake-model-api-chat.ts";
import { answerEmbeddings } from "./fake-model-api-embeddings.ts";
import { type FakeModelFault, playFault } from "./fake-model-api-faults.ts";
import {
  type ChatBody,
  type FakeModel,
  type FakeModelApiOptions,
  FakeRefusal,
  type RecordedModelRequest,
  refuse,
} from "./fake-model-api-protocol.ts";

/*
 * A server that speaks the documented protocol of OpenAI-compatible model APIs: chat completions (JSON and server-sent
 * events), embeddings and the list of models. It checks requests as the real ones do, refuses what they refuse, answers with
 * what a test scripts, and misbehaves in the ways that real servers, gateways and networks do.
 */

export interface FakeModelApi extends AsyncDisposable {
  /** `http://host:port/v1`. */
  readonly apiUrl: string;
  readonly origin: string;
  readonly port: number;
  /** Every request that arrived, in order; those that a fault answered too. */
  readonly requests: readonly RecordedModelRequest[];
  /** Requests being answered now, and the most there have been at once. */
  readonly load: { readonly current: number; readonly peak: number };
  /** Callers that went away before their answer was complete. */
  readonly abandonedCount: number;
  /** The next `times` requests get this fault (default 1); faults wait in line. */
  failNext(fault: FakeModelFault, times?: number): void;
  /** Forgets the faults that still wait. */
  clearFaults(): void;
}

interface State {
  readonly options: FakeModelApiOptions;
  readonly requests: RecordedModelRequest[];
  readonly faults: FakeModelFault[];
  readonly load: { current: number; peak: number };
  abandonedCount: number;
}

export async function startFakeModelApi(options: FakeModelApiOptions = {}): Promise<FakeModelApi> {
  const state: State = { options, requests: [], faults: [], load: { current: 0, peak: 0 }, abandonedCount: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => void serve(state, request, response));
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  const { host = "127.0.0.1", pathPrefix = "/v1" } = options;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const origin = `http://${host}:${port}`;
  return {
    apiUrl: `${origin}${pathPrefix}`,
    origin,
    port,
    requests: state.requests,
    load: state.load,
    get abandonedCount() {
      return state.abandonedCount;
    },
    failNext: (fault, times = 1) => {
      for (let count = 0; count < times; count++) state.faults.push(fault);
    },
    clearFaults: () => void state.faults.splice(0),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { load } = state;
  load.current++;
  load.peak = Math.max(load.peak, load.current);
  response.once("close", () => {
    load.current--;
    if (!response.writableEnded) state.abandonedCount++;
  });
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const recorded = await record(state, request);
    const fault = state.faults.shift();
    if (fault !== undefined) await playFault(fault, response, gone.signal);
    else await answer({ state, recorded, response, signal: gone.signal });
  } catch (error) {
    if (response.destroyed) return;
    const { status, json } = error instanceof FakeRefusal ? error : refuse(500, "The server had an error.");
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  }
}

async function record(state: State, request: IncomingMessage): Promise<RecordedModelRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { method = "", url: path = "", headers } = request;
  const recorded = { method, path, headers, text, body: parseJson(text), atMs: performance.now() };
  state.requests.push(recorded);
  return recorded;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Exchange {
  readonly state: State;
  readonly recorded: RecordedModelRequest;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

const defaultModels: readonly FakeModel[] = [
  { id: "fake-chat", kind: "chat" },
  { id: "fake-embedding", kind: "embedding" },
];

async function answer({ state, recorded, response, signal }: Exchange): Promise<void> {
  const { options } = state;
  const { models = defaultModels, pathPrefix = "/v1", hasModelList = true } = options;
  const route = `${recorded.method} ${recorded.path}`;
  const known = ["POST /chat/completions", "POST /embeddings", ...(hasModelList ? ["GET /models"] : [])];
  const called = known.find((name) => route === name.replace(" ", ` ${pathPrefix}`));
  if (called === undefined) throw refuse(404, `Invalid URL (${route})`);
  checkKey(options, recorded);
  if (called === "GET /models") return sendModels(models, response);
  const body = checkBody(recorded, models);
  const context = { options, body, response, signal };
  return called === "POST /embeddings" ? answerEmbeddings(context, models) : answerChat(context);
}

function checkKey({ apiKey }: FakeModelApiOptions, { headers: { authorization } }: RecordedModelRequest): void {
  if (apiKey === undefined || authorization === `Bearer ${apiKey}`) return;
  // As the real ones do, it repeats what it was given: callers must not pass that on.
  const shown = authorization?.replace("Bearer ", "");
  const message = shown === undefined ? "You didn't provide an API key." : `Incorrect API key provided: ${shown}.`;
  throw refuse(401, message, { code: "invalid_api_key" });
}

function checkBody({ body }: RecordedModelRequest, models: readonly FakeModel[]): ChatBody {
  if (typeof body !== "object" || body === null) {
    throw refuse(400, "We could not parse the JSON body of your request.");
  }
  const { model } = body as { model?: unknown };
  if (typeof model !== "string") throw refuse(400, "you must provide a model parameter", { param: "model" });
  if (!models.some(({ id }) => id === model)) {
    const message = `The model \`${model}\` does not exist or you do not have access to it.`;
    throw refuse(404, message, { code: "model_not_found", param: "model" });
  }
  return body as ChatBody;
}

function sendModels(models: readonly FakeModel[], response: ServerResponse): void {
  const data = models.map(({ id, contextTokens }) => ({
    id,
    object: "model",
    created: 1_700_000_000,
    owned_by: "fake",
    ...(contextTokens !== undefined && { max_model_len: contextTokens }),
  }));
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ object: "list", data }));
}
