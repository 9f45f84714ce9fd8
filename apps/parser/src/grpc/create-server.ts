import { readFileSync } from "node:fs";
import { setImmediate, setTimeout } from "node:timers/promises";
import { loadDocparser } from "@attune/contracts/proto/load-docparser.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import { Server, ServerCredentials, type ServiceDefinition } from "@grpc/grpc-js";
import type { PackageDefinition } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import { protoPath as healthProtoPath } from "grpc-health-check";
import { loadSync } from "@grpc/proto-loader";
import { createAuthenticator } from "./authenticate.ts";
import { serializeResponse } from "./free-answers.ts";
import { listenersOf } from "./grpc-internals.ts";
import { type CallGuard, type CallGuardSettings, type CallRefusal, createCallGuard } from "./guard-calls.ts";
import { createReceiveLimit } from "./limit-receiving.ts";
import { createEnginesHandler, createFormatsHandler, type ListHandlerDeps } from "./list-handlers.ts";
import { createParseHandler, type ParseHandlerDeps } from "./parse-handler.ts";
import { decodeParseRequest } from "./parse-messages.ts";
import { type HealthReport, reportHealth } from "./report-health.ts";

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
  /** For an answer to be taken by its caller. Default 120 s. */
  readonly sendTimeoutMs?: number;
  /** Connections of all callers together, beyond which new ones are closed at once, for each address. Default 512. */
  readonly maxConnections?: number;
  /** What all requests over 64 KiB may hold together. Default 256 MiB, and never less than two of the largest requests. */
  readonly maxHeldRequestBytes?: number;
}

export interface TlsSettings {
  readonly certificatePath: string;
  readonly keyPath: string;
  /** Certificate authority of the callers; when set, callers must present a certificate of it (mutual TLS). */
  readonly clientAuthorityPath: string | undefined;
}

export interface ServerDeps extends ParseHandlerDeps, ListHandlerDeps {
  /** Whether documents can be parsed at present; while not, health says NOT_SERVING. Asked every second. */
  readonly isReady?: () => boolean;
  /** Told of each call that is turned away before its handler: without the token, too large, too many, late. */
  readonly onRefusal?: (refusal: CallRefusal) => void;
}

export interface ParserServer {
  /** Binds the address. @returns the port, also when 0 was asked for. */
  start(): Promise<number>;
  /**
   * Answers the calls under way, takes no new ones, then ends streams such as Health.Watch; after `graceMs` cuts off what is
   * left.
   */
  drain(graceMs: number): Promise<void>;
}

const serviceName = "docparser.DocumentParser";

const mib = 1 << 20;
const healthPollMs = 1000;

export function createServer(settings: ServerSettings, deps: ServerDeps): ParserServer {
  const packages = { docparser: loadDocparser(), health: loadSync(healthProtoPath) };
  const { maxInside } = deps.admission;
  const guard = createCallGuard({
    ...guardSettings(settings, maxInside),
    onRefusal: deps.onRefusal ?? ((): void => {}),
  });
  const server = new Server({
    ...serverOptions(settings),
    // A few more than have a place, so that who finds the house full is told so.
    "grpc.max_concurrent_streams": maxInside + 32,
    interceptors: [
      guard.interceptor,
      createReceiveLimit(settings.receiveTimeoutMs),
      createAuthenticator(settings.token),
    ],
  });
  server.addService(withOwnMessages(packages.docparser), {
    ParseDocument: createParseHandler(deps),
    GetSupportedFormats: createFormatsHandler(deps),
    GetEngines: createEnginesHandler(deps),
  });
  const isReady = deps.isReady ?? ((): boolean => true);
  const health = reportHealth(server, { serviceName, isReady, pollMs: healthPollMs });
  if (settings.hasReflection) new ReflectionService(merge(packages)).addToServer(server);
  return {
    start: () => bind(server, settings),
    drain: (graceMs) => drain({ server, health, guard }, graceMs),
  };
}

function guardSettings(settings: ServerSettings, maxInside: number): Omit<CallGuardSettings, "onRefusal"> {
  const { maxRequestBytes, maxHeldRequestBytes = 256 * mib, sendTimeoutMs = 120_000 } = settings;
  return {
    documentMethod: `/${serviceName}/ParseDocument`,
    maxRequestBytes,
    maxHeldBytes: Math.max(maxHeldRequestBytes, 2 * maxRequestBytes),
    maxOpenCalls: 2 * maxInside + 512,
    sendTimeoutMs,
  };
}

function serverOptions({ maxRequestBytes, maxResponseBytes }: ServerSettings): object {
  return {
    "grpc.max_receive_message_length": maxRequestBytes,
    "grpc.max_send_message_length": maxResponseBytes,
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.max_connection_idle_ms": 300_000,
  };
}

// The definition from the proto, with the two messages that carry documents read and written by our own code.
function withOwnMessages(definition: PackageDefinition): ServiceDefinition {
  const service = definition[serviceName] as ServiceDefinition;
  const parse = service["ParseDocument"];
  if (parse === undefined) throw new TypeError("The proto has no ParseDocument.");
  const ownParse = { ...parse, requestDeserialize: decodeParseRequest, responseSerialize: serializeResponse };
  return { ...service, ParseDocument: ownParse };
}

function merge(packages: Readonly<Record<string, PackageDefinition>>): PackageDefinition {
  return Object.assign({}, ...Object.values(packages)) as PackageDefinition;
}

function bind(server: Server, { host, port, tls, maxConnections = 512 }: ServerSettings): Promise<number> {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const credentials = tls === undefined ? ServerCredentials.createInsecure() : tlsCredentials(tls);
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, boundPort) => {
      for (const listener of listenersOf(server)) listener.maxConnections = maxConnections;
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

interface Drained {
  readonly server: Server;
  readonly health: HealthReport;
  readonly guard: CallGuard;
}

// A graceful shutdown of the library waits for streams that their callers never end; nobody loses an answer by ending them.
async function drain({ server, health, guard }: Drained, graceMs: number): Promise<void> {
  health.end();
  const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  const grace = new AbortController();
  const cutOff = setTimeout(graceMs, undefined, { signal: grace.signal }).catch(() => undefined);
  await Promise.race([closed, guard.drain().then(() => setImmediate()), cutOff]);
  grace.abort();
  server.forceShutdown();
  await closed;
}
