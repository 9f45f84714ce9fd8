import { lookup as resolve, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { getCACertificates } from "node:tls";
import { parseIpAddress } from "@attune/service-kit/addresses/ip-address.ts";
import { isMetadataAddress, isPrivateAddress, judgeIpAddress } from "@attune/service-kit/addresses/judge-address.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { Agent, buildConnector } from "undici";
import type { ModelApiSettings } from "./model-api-settings.ts";

/**
 * Connections to judged addresses only. Names are resolved by the system, as operators name their servers there; one refused
 * address among the answers refuses the host, and the socket gets the addresses that were judged. Proxies of the environment
 * are not used, because a proxy resolves names by itself.
 */
export function createGuardedAgent(settings: ModelApiSettings): Agent {
  const { connectTimeoutMs, extraCaPem } = settings;
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    autoSelectFamily: true,
    lookup: createJudgedLookup(settings),
    ...(extraCaPem !== undefined && { ca: [...getCACertificates(), extraCaPem] }),
  });
  return new Agent({
    // `net.connect` asks `lookup` for names only, so addresses are judged here; what was reached is judged again.
    connect: (options, callback) => {
      const refusal = isIP(options.hostname) === 0 ? undefined : judge(options.hostname, settings);
      if (refusal !== undefined) return callback(refusal, null);
      connect(options, (...[error, socket]) => {
        if (error !== null || socket === null) return callback(error ?? new Error("no socket"), null);
        const late = judge(socket.remoteAddress ?? "", settings);
        if (late === undefined) return callback(null, socket);
        socket.destroy();
        callback(late, null);
      });
    },
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    maxHeaderSize: 65_536,
  });
}

function createJudgedLookup(settings: ModelApiSettings): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return callback(error, []);
      const refusal = addresses.map(({ address }) => judge(address, settings)).find((found) => found !== undefined);
      if (refusal !== undefined) return callback(refusal, []);
      const [first] = addresses;
      if (options.all === true || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** What forbids an address; undefined: it may be reached. */
function judge(text: string, { denyPrivate }: ModelApiSettings): AppError | undefined {
  const address = parseIpAddress(text);
  const verdict = address === undefined ? "no address" : judgeIpAddress(address);
  if (address === undefined || verdict === undefined) return verdict === undefined ? undefined : refuse(verdict);
  const isOpen = !denyPrivate && !isMetadataAddress(address) && isPrivateAddress(address);
  return isOpen ? undefined : refuse(verdict);
}

function refuse(verdict: string): AppError {
  return new AppError("MODEL_API_ADDRESS_REFUSED", { detail: `It is ${verdict}.` });
}
