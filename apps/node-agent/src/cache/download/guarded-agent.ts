import { lookup as resolve, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { getCACertificates } from "node:tls";
import { AppError } from "@attune/service-kit/app-error.ts";
import { Agent, buildConnector } from "undici";
import type { CacheSettings } from "../cache-settings.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";

/**
 * Connections to judged addresses only: one refused address among those of a name refuses it, the socket gets the addresses
 * that were judged, and what it reached is judged again. Proxies of the environment are not used, because a proxy resolves
 * names by itself. Without `hosts`, for what the operator configured, all addresses may be reached.
 */
export function createGuardedAgent(settings: CacheSettings, hosts: AllowedHosts | undefined): Agent {
  return new Agent({
    connect: (options, callback) => {
      const host = options.hostname
        .toLowerCase()
        .replace(/\.+$/, "")
        .replace(/^\[|\]$/g, "");
      const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80);
      const judge: Judge = (address) => hosts?.judgeAddress(address, host, port);
      const refusal = isIP(host) === 0 ? undefined : judge(host);
      if (refusal !== undefined) return callback(refuse(refusal), null);
      toConnector(settings, judge)(options, (...[error, socket]) => {
        if (error !== null || socket === null) return callback(error ?? new Error("no socket"), null);
        const late = judge(socket.remoteAddress ?? "");
        if (late === undefined) return callback(null, socket);
        socket.destroy();
        callback(refuse(late), null);
      });
    },
    pipelining: 1,
    headersTimeout: settings.headersTimeoutMs,
    bodyTimeout: settings.idleTimeoutMs,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    maxHeaderSize: 65_536,
  });
}

type Judge = (address: string) => string | undefined;

function toConnector({ connectTimeoutMs, extraCaPem }: CacheSettings, judge: Judge): buildConnector.connector {
  return buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    autoSelectFamily: true,
    lookup: createJudgedLookup(judge),
    ...(extraCaPem !== undefined && { ca: [...getCACertificates(), extraCaPem] }),
  });
}

function createJudgedLookup(judge: Judge): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return callback(error, []);
      const refusal = addresses.map(({ address }) => judge(address)).find((found) => found !== undefined);
      if (refusal !== undefined) return callback(refuse(refusal), []);
      const [first] = addresses;
      if (options.all === true || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

export function refuse(verdict: string): AppError {
  return new AppError("CACHE_ADDRESS_REFUSED", { detail: `It is ${verdict}.` });
}
