import { readFileSync } from "node:fs";
import { loadDocparser } from "@attune/contracts/proto/load-docparser.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import { Server, ServerCredentials, type ServiceDefinition } from "@grpc/grpc-js";
import type { PackageDefinition } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import { HealthImplementation, protoPath as healthProtoPath } from "grpc-health-check";
import { loadSync } from "@grpc/proto-loader";
import { createAuthenticator } from "./authenticate.ts";
import { createReceiveLimit } from "./limit-receiving.ts";
import { createEnginesHandler, createFormatsHandler, type ListHandlerDeps } from "./list-handlers.ts";
import { createParseHandler, type ParseHandlerDeps } from "./parse-handler.ts";
import { decodeParseRequest, encodeParseResponse } from "./parse-messages.ts";

export interface ServerSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly token: Secret | undefined;
  readonly tls: TlsSettings | undefined;
  readonly hasReflection: boolean;
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
  /** For the message of a call to arrive. */
  readonly receiveTimeoutMs: number;
}

export interface TlsSettings {
  readonly certificatePath: string;
  readonly keyPath: string;
  /** Certificate authority of the callers; when set, callers must present a certificate of it (mutual TLS). */
  readonly clientAuthorityPath: string | undefined;
}

export interface ParserServer {
  /** Binds the address. @returns the port, also when 0 was asked for. */
  start(): Promise<number>;
  /** Answers the calls under way, takes no new ones, and after `graceMs` cuts off what is left. */
  drain(graceMs: number): Promise<void>;
}

const serviceName = "docparser.DocumentParser";

export function createServer(settings: ServerSettings, deps: ParseHandlerDeps & ListHandlerDeps): ParserServer {
  const packages = { docparser: loadDocparser(), health: loadSync(healthProtoPath) };
  const server = new Server(serverOptions(settings));
  const health = new HealthImplementation({ "": "SERVING", [serviceName]: "SERVING" });
  server.addService(withOwnMessages(packages.docparser), {
    ParseDocument: createParseHandler(deps),
    GetSupportedFormats: createFormatsHandler(deps),
    GetEngines: createEnginesHandler(deps),
  });
  health.addToServer(server);
  if (settings.hasReflection) new ReflectionService(merge(packages)).addToServer(server);
  return {
    start: () => bind(server, settings),
    drain: (graceMs) => drain(server, health, graceMs),
  };
}

function serverOptions({ token, maxRequestBytes, maxResponseBytes, receiveTimeoutMs }: ServerSettings): object {
  return {
    "grpc.max_receive_message_length": maxRequestBytes,
    "grpc.max_send_message_length": maxResponseBytes,
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.max_connection_idle_ms": 300_000,
    interceptors: [createReceiveLimit(receiveTimeoutMs), createAuthenticator(token)],
  };
}

// The definition from the proto, with the two messages that carry documents read and written by our own code.
function withOwnMessages(definition: PackageDefinition): ServiceDefinition {
  const service = definition[serviceName] as ServiceDefinition;
  const parse = service["ParseDocument"];
  if (parse === undefined) throw new TypeError("The proto has no ParseDocument.");
  const ownParse = { ...parse, requestDeserialize: decodeParseRequest, responseSerialize: encodeParseResponse };
  return { ...service, ParseDocument: ownParse };
}

function merge(packages: Readonly<Record<string, PackageDefinition>>): PackageDefinition {
  return Object.assign({}, ...Object.values(packages)) as PackageDefinition;
}

function bind(server: Server, { host, port, tls }: ServerSettings): Promise<number> {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const credentials = tls === undefined ? ServerCredentials.createInsecure() : tlsCredentials(tls);
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, boundPort) => {
      if (error === null) resolve(boundPort);
      else reject(new Error(`The service cannot listen on ${address}: ${error.message}`, { cause: error }));
    });
  });
}

function tlsCredentials({ certificatePath, keyPath, clientAuthorityPath }: TlsSettings): ServerCredentials {
  const pair = { cert_chain: readFileSync(certificatePath), private_key: readFileSync(keyPath) };
  const authority = clientAuthorityPath === undefined ? null : readFileSync(clientAuthorityPath);
  return ServerCredentials.createSsl(authority, [pair], authority !== null);
}

async function drain(server: Server, health: HealthImplementation, graceMs: number): Promise<void> {
  health.setStatus("", "NOT_SERVING");
  health.setStatus(serviceName, "NOT_SERVING");
  const timer = setTimeout(() => server.forceShutdown(), graceMs);
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  clearTimeout(timer);
}
