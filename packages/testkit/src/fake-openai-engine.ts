/*
 * Passes for `vllm` or `llama-server`: takes their arguments and no others, writes what they write, answers as they do while
 * they load, and serves their API afterwards. The name of the model says how it behaves: `slow`, `endless`, `full` (of memory),
 * `corrupt`. Start it with Node; the first argument is the program that it passes for.
 */
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, request as send, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startFakeModelApi } from "./fake-model-api.ts";

interface Engine {
  readonly model: string;
  /** Names under which it serves. */
  readonly names: readonly string[];
  readonly port: number;
  readonly key: string;
  readonly contextTokens: number;
  /** As `/v1/models` lists them. */
  readonly cards: readonly { readonly id: string }[];
}

/** What it answers on its other paths, and how it refuses who has no key. */
interface Manners {
  readonly props?: unknown;
  readonly unauthorized: unknown;
  readonly portTaken: string;
}

const [program = "", ...args] = process.argv.slice(2);
const log = (line: string): void => void process.stderr.write(`${line}\n`);
const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

const asVllm: Manners = {
  unauthorized: { error: "Unauthorized" },
  portTaken: "OSError: [Errno 98] Address already in use",
};

if (args.includes("--version")) {
  log(
    program === "vllm"
      ? "0.32.0"
      : "version: 0.7.0 (build 11669, commit Debian)\nbuilt with GNU 16.2.0 for Linux x86_64",
  );
} else if (program === "vllm") await passForVllm();
else await passForLlamaServer();

async function passForVllm(): Promise<void> {
  const options = {
    ...Object.fromEntries(
      ["host", "port", "served-model-name", "dtype", "max-num-seqs", "generation-config", "tensor-parallel-size"]
        .concat(["max-model-len", "quantization", "max-loras", "max-lora-rank", "lora-modules"])
        .map((name) => [name, text]),
    ),
    "enable-lora": flag,
  };
  const { values, positionals } = readArgs(options, (name) => `vllm serve: error: unrecognized arguments: ${name}`, 2);
  const [, model = ""] = positionals;
  log("INFO 11-21 10:00:00 [utils.py:233] non-default args: {}");
  log("INFO 11-21 10:00:01 [model.py:547] Resolved architecture: LlamaForCausalLM");
  // The engine's core is a process of its own.
  spawn("/bin/sh", ["-c", "while :; do sleep 1; done"], { stdio: "inherit" });
  log("INFO 11-21 10:00:02 [gpu_model_runner.py:2602] Starting to load model...");
  process.stderr.write("Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:00<00:00]\r");
  if (model.includes("full")) {
    log(
      "ValueError: Free memory on device (1.2/79.1 GiB) on startup is less than desired GPU memory utilization (0.9, 71.2 GiB).",
    );
    process.exit(1);
  }
  await sleep(model.includes("slow") ? 60_000 : 50);
  log("INFO 11-21 10:00:03 [gpu_model_runner.py:2653] Model loading took 14.9889 GiB and 2.1 seconds");
  const base = stringOf(values["served-model-name"]);
  const adapters = "lora-modules" in values ? [nameOf(stringOf(values["lora-modules"]))] : [];
  const contextTokens = Number(values["max-model-len"] ?? 4096);
  const key = process.env["VLLM_API_KEY"] ?? "";
  const cards = [{ id: base, max_model_len: contextTokens }, ...adapters.map((id) => ({ id, max_model_len: null }))];
  const names = [base, ...adapters];
  await serve({ model, names, cards, port: Number(values["port"]), key, contextTokens }, () => true);
  log("INFO:     Application startup complete.");
}

async function passForLlamaServer(): Promise<void> {
  const options = {
    ...Object.fromEntries(
      ["model", "alias", "host", "port", "threads", "parallel", "n-gpu-layers", "ctx-size", "lora"]
        .concat("reasoning-format")
        .map((name) => [name, text]),
    ),
    "no-webui": flag,
  };
  const { values } = readArgs(options, (name) => `error: invalid argument: ${name}`, 1);
  const model = stringOf(values["model"]);
  let isLoaded = false;
  const parallel = Number(values["parallel"]);
  const contextTokens = Number(values["ctx-size"]) / parallel || 2048;
  const key = process.env["LLAMA_API_KEY"] ?? "";
  const id = stringOf(values["alias"]);
  const cards = [{ id, meta: { n_ctx: contextTokens, size: 461_056 } }];
  const port = Number(values["port"]);
  const props = { total_slots: parallel, default_generation_settings: { n_ctx: contextTokens } };
  await serve({ model, names: [id], cards, port, key, contextTokens }, () => isLoaded, {
    props,
    unauthorized: { error: { message: "Invalid API Key", type: "authentication_error", code: 401 } },
    portTaken: `E srv         start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: ${port}`,
  });
  log(`0.00.035.059 I srv    load_model: loading model '${model}'`);
  if (model.includes("corrupt")) {
    log(
      "0.00.038.176 E llama_model_load: error loading model: tensor 'output.weight' data is not within the file bounds, model is corrupted or incomplete",
    );
    log("0.00.047.782 E srv  llama_server: exiting due to model loading error");
    process.exit(1);
  }
  await sleep(model.includes("slow") ? 60_000 : 50);
  isLoaded = true;
  log("0.00.109.769 I srv  llama_server: model loaded");
}

/** vLLM takes adapters as JSON, or as name=path where there is no comma. */
function nameOf(module: string): string {
  const [name = ""] = module.split("=");
  return module.includes("=") && !module.includes(",") ? name : (JSON.parse(module) as { name: string }).name;
}

function stringOf(value: string | boolean | undefined): string {
  return typeof value === "string" ? value : "";
}

function readArgs(
  options: Readonly<Record<string, { readonly type: "string" | "boolean" }>>,
  refuse: (name: string) => string,
  status: number,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch {
    log(refuse(args.find((arg) => arg.startsWith("--") && !(arg.slice(2) in options)) ?? args.join(" ")));
    return process.exit(status);
  }
}

async function serve(engine: Engine, isReady: () => boolean, manners = asVllm): Promise<void> {
  const { props, unauthorized, portTaken } = manners;
  const isEndless = engine.model.includes("endless");
  const api = await startFakeModelApi({
    apiKey: engine.key,
    models: engine.names.map((id) => ({ id, kind: "chat", contextTokens: engine.contextTokens })),
    ...(isEndless && { answer: () => "more ".repeat(50_000), tokensPerSecond: 500 }),
  });
  const server = createServer((request, response) => {
    // Of llama.cpp the list of models is open, too.
    const isOpen = request.url === "/health" || (manners !== asVllm && request.url === "/v1/models");
    if (!isReady())
      sendJson(response, 503, { error: { message: "Loading model", type: "unavailable_error", code: 503 } });
    else if (!isOpen && request.headers.authorization !== `Bearer ${engine.key}`) sendJson(response, 401, unauthorized);
    else if (request.url === "/health") sendJson(response, 200, { status: "ok" });
    else if (request.url === "/v1/models") sendJson(response, 200, { object: "list", data: engine.cards });
    else if (request.url === "/props" && props !== undefined) sendJson(response, 200, props);
    else passOn(request, response, api.port);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      log(error.code === "EADDRINUSE" ? portTaken : String(error));
      reject(error);
    });
    server.listen(engine.port, "127.0.0.1", resolve);
  });
}

function sendJson(response: ServerResponse, status: number, json: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
}

function passOn(request: IncomingMessage, response: ServerResponse, port: number): void {
  const { method = "GET", url = "/", headers } = request;
  const upstream = send({ host: "127.0.0.1", port, path: url, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  upstream.on("error", () => response.destroy());
  response.once("close", () => upstream.destroy());
  request.pipe(upstream);
}
