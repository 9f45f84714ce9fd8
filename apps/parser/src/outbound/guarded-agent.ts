import { isIP, connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, getCACertificates } from "node:tls";
import { AppError } from "@attune/service-kit/app-error.ts";
import { Agent, type buildConnector } from "undici";
import type { AllowList } from "./allow-list.ts";
import { parseIpAddress } from "@attune/service-kit/addresses/ip-address.ts";
import { isMetadataAddress, judgeIpAddress } from "@attune/service-kit/addresses/judge-address.ts";
import { toComparableName } from "./judge-name.ts";
import { refuseHost } from "./judge-url.ts";
import type { OutboundSettings } from "./outbound-settings.ts";
import type { ResolveHost } from "./resolve-host.ts";

export interface AgentDeps {
  readonly settings: OutboundSettings;
  readonly resolveHost: ResolveHost;
  /** The targets that are open; undefined: every one, for URLs that the operator configured. */
  readonly allowList: AllowList | undefined;
}

/**
 * Connections that reach judged addresses only: the name is resolved once, one bad address among its answers refuses the
 * host, and the socket gets exactly the addresses that were judged. Certificates are verified against the name. Proxies of
 * the environment are not used, because a proxy resolves names by itself.
 */
export function createGuardedAgent(deps: AgentDeps): Agent {
  const { settings } = deps;
  return new Agent({
    connect: (options, callback) => {
      connectJudged(options, deps).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
    connections: settings.maxConnectionsPerOrigin,
    maxHeaderSize: settings.maxHeaderBytes,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    pipelining: 1,
  });
}

async function connectJudged(options: buildConnector.Options, deps: AgentDeps): Promise<Socket> {
  const { settings } = deps;
  const host = toComparableName(options.hostname);
  const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80);
  const addresses = await findJudgedAddresses({ host, port }, deps);

  const { promise: isLate, reject } = Promise.withResolvers<never>();
  let socket: Socket | undefined;
  const timer = setTimeout(() => reject(tooSlow()), settings.connectTimeoutMs);
  try {
    socket = openTcp(addresses, port);
    await Promise.race([untilConnected(socket, "connect"), isLate]);
    judge({ address: socket.remoteAddress ?? "", host, port }, deps.allowList);
    if (options.protocol !== "https:") return socket;
    socket = openTls(socket, host, settings);
    await Promise.race([untilConnected(socket, "secureConnect"), isLate]);
    return socket;
  } catch (error) {
    socket?.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The addresses of a host, every one of them judged.
 * @throws AppError `FETCH_REFUSED`, and what resolving throws.
 */
export async function findJudgedAddresses(
  { host, port }: Omit<Target, "address">,
  { resolveHost, allowList }: Pick<AgentDeps, "resolveHost" | "allowList">,
): Promise<readonly string[]> {
  const isSystem = allowList === undefined || allowList.allowsName(host, port);
  const addresses = isIP(host) === 0 ? await resolveHost(host, { isSystem }) : [host];
  for (const address of addresses) judge({ address, host, port }, allowList);
  return addresses;
}

interface Target {
  readonly address: string;
  readonly host: string;
  readonly port: number;
}

function judge({ address: text, host, port }: Target, allowList: AllowList | undefined): void {
  if (allowList === undefined) return;
  const address = parseIpAddress(text);
  if (address === undefined) throw refuseHost(new Error(`${text} is not an address`));
  const verdict = judgeIpAddress(address);
  if (verdict === undefined || allowList.allowsAddress(address, port)) return;
  const isOpenByName = !isMetadataAddress(address) && allowList.allowsName(host, port);
  if (!isOpenByName) throw refuseHost(new Error(`${host} leads to ${text}, ${verdict}`));
}

// `net.connect` asks `lookup` for the addresses of a name; this answers with those judged, whatever it asks for.
function openTcp(addresses: readonly string[], port: number): Socket {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  const socket = connectTcp({
    host: answers.length === 1 ? (answers[0]?.address ?? "") : "judged.invalid",
    port,
    noDelay: true,
    keepAlive: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    lookup: (_name, _options, callback) => callback(null, answers),
  });
  return socket.on("error", () => {});
}

function openTls(socket: Socket, host: string, { extraCaPem }: OutboundSettings): Socket {
  const secure = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ["http/1.1"],
    ...(extraCaPem !== undefined && { ca: [...getCACertificates(), extraCaPem] }),
  });
  return secure.on("error", () => {});
}

function untilConnected(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error?: Error) => reject(error ?? new Error("closed while connecting"));
    socket.once("error", fail);
    socket.once("close", fail);
    socket.once(event, () => {
      socket.off("error", fail);
      socket.off("close", fail);
      resolve();
    });
  });
}

function tooSlow(): AppError {
  return new AppError("FETCH_TIMEOUT", { detail: "No connection to its server came about in time." });
}
