import { loadDocparser } from "@attune/contracts/proto/load-docparser.ts";
import {
  type CallOptions,
  type ChannelCredentials,
  type Client,
  credentials,
  makeClientConstructor,
  Metadata,
  type ServiceDefinition,
  type ServiceError,
} from "@grpc/grpc-js";

export interface ParseRequest {
  readonly file_url?: string;
  readonly file_name?: string;
  readonly file_type?: string;
  readonly parser_engine?: string;
  readonly engine_overrides?: Readonly<Record<string, string>>;
}

export interface ParseResponse {
  readonly success: boolean;
  readonly content: string;
  readonly message: string;
  readonly content_length: number;
  readonly file_type: string;
  readonly parser_engine: string;
}

export interface EngineInfo {
  readonly name: string;
  readonly description: string;
  readonly supported_file_types: readonly string[];
  readonly available: boolean;
  readonly unavailable_reason: string;
}

export interface CallSettings {
  readonly deadlineMs?: number;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A client of docparser.DocumentParser as any user would generate one from the proto. */
export interface DocparserClient {
  parse(request: ParseRequest, settings?: CallSettings): Promise<ParseResponse>;
  formats(settings?: CallSettings): Promise<{ file_types: string[]; file_type_descriptions: Record<string, string> }>;
  engines(settings?: CallSettings): Promise<{ engines: EngineInfo[] }>;
  /** Sends bytes as the request of ParseDocument, whatever they are. */
  parseRaw(message: Uint8Array, settings?: CallSettings): Promise<Uint8Array>;
  close(): void;
}

const path = "/docparser.DocumentParser/";

export function createDocparserClient(
  address: string,
  channel: ChannelCredentials = credentials.createInsecure(),
): DocparserClient {
  const service = loadDocparser()["docparser.DocumentParser"] as ServiceDefinition;
  const ClientOfService = makeClientConstructor(service, "DocumentParser");
  const client: Client = new ClientOfService(address, channel, { "grpc.max_receive_message_length": 1 << 28 });
  const call = <TResponse>(method: string, request: object, settings?: CallSettings): Promise<TResponse> => {
    const { requestSerialize, responseDeserialize } = service[method] ?? {};
    return unary(client, { method, request, serialize: requestSerialize, deserialize: responseDeserialize }, settings);
  };
  return {
    parse: (request, settings) => call("ParseDocument", request, settings),
    formats: (settings) => call("GetSupportedFormats", {}, settings),
    engines: (settings) => call("GetEngines", {}, settings),
    parseRaw: (message, settings) => {
      const pass = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
      return unary(client, { method: "ParseDocument", request: message, serialize: pass, deserialize: pass }, settings);
    },
    close: () => client.close(),
  };
}

interface UnaryCall {
  readonly method: string;
  readonly request: object;
  readonly serialize: ((value: never) => Buffer) | undefined;
  readonly deserialize: ((bytes: Buffer) => unknown) | undefined;
}

function unary<TResponse>(client: Client, call: UnaryCall, settings: CallSettings = {}): Promise<TResponse> {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(settings.metadata ?? {})) metadata.set(key, value);
  const options: CallOptions = settings.deadlineMs === undefined ? {} : { deadline: Date.now() + settings.deadlineMs };
  return new Promise((resolve, reject) => {
    const done = (error: ServiceError | null, response?: unknown): void => {
      if (error === null) resolve(response as TResponse);
      else reject(error);
    };
    const running = client.makeUnaryRequest(
      path + call.method,
      call.serialize as (value: object) => Buffer,
      call.deserialize as (bytes: Buffer) => unknown,
      call.request,
      metadata,
      options,
      done,
    );
    settings.signal?.addEventListener("abort", () => running.cancel(), { once: true });
  });
}
