import { lookup, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { OutboundSettings } from "./outbound-settings.ts";

export interface ResolveOptions {
  /** Asks the operating system (hosts file, search domains): for names of the operator's own network. */
  readonly isSystem: boolean;
}

/**
 * All addresses of a name, IPv4 first, each once.
 * @throws AppError `FETCH_FAILED` when there is none, `FETCH_TIMEOUT` when no answer comes.
 */
export type ResolveHost = (name: string, options: ResolveOptions) => Promise<readonly string[]>;

/**
 * Names of callers are asked of DNS over sockets of our own, so that a server that never answers holds up nobody else.
 * The operating system's resolver blocks one of four threads of this process for each question; it is asked for at most
 * two names at a time.
 */
export function createResolveHost(settings: Pick<OutboundSettings, "dnsServers" | "resolveTimeoutMs">): ResolveHost {
  const { dnsServers, resolveTimeoutMs } = settings;
  const resolver = new Resolver({ timeout: Math.ceil(resolveTimeoutMs / 3), tries: 2, maxTimeout: resolveTimeoutMs });
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  const takeTurn = createTurns(2);
  return async (name, { isSystem }) => {
    const asked = isSystem ? takeTurn(() => askSystem(name)) : askServers(name, resolver);
    const addresses = await withDeadline(asked, resolveTimeoutMs);
    if (addresses.length === 0) throw unresolved();
    return [...new Set(addresses)];
  };
}

// How long the second family of addresses is waited for once the first has come (RFC 8305 calls it the resolution delay).
const secondFamilyDelayMs = 250;

async function askServers(name: string, resolver: Resolver): Promise<string[]> {
  const failures: unknown[] = [];
  const ask = (question: Promise<string[]>) =>
    question.catch((error: unknown) => {
      failures.push(error);
      return [];
    });
  const ipv4 = ask(resolver.resolve4(name));
  const ipv6 = ask(resolver.resolve6(name));
  const first = await Promise.race([ipv4, ipv6]);
  const late: Promise<string[]> = first.length > 0 ? delay(secondFamilyDelayMs).then(() => []) : new Promise(() => {});
  const addresses = await Promise.all([Promise.race([ipv4, late]), Promise.race([ipv6, late])]);
  const found = [...new Set([...first, ...addresses.flat()])].sort(byFamily);
  if (found.length === 0 && failures.some(isTimeout)) throw tooSlow(failures[0]);
  return found;
}

async function askSystem(name: string): Promise<string[]> {
  const fromFile = await findInHostsFile(name);
  if (fromFile.length > 0) return fromFile;
  const answers = await lookup(name, { all: true, order: "ipv4first" }).catch((error: unknown) => {
    throw unresolved(error);
  });
  return answers.map(({ address }) => address);
}

// Read here as well, so that a name of the file costs no thread and works where the system's order of sources leaves it out.
async function findInHostsFile(name: string): Promise<string[]> {
  const text = await readFile("/etc/hosts", "utf8").catch(() => "");
  const rows = text.split("\n").map((line) => line.replace(/#.*/, "").trim().split(/\s+/));
  return rows
    .filter(([, ...names]) => names.some((known) => known.toLowerCase() === name))
    .map(([address = ""]) => address)
    .sort(byFamily);
}

function byFamily(left: string, right: string): number {
  return Number(left.includes(":")) - Number(right.includes(":"));
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ETIMEOUT" || error.code === "ECANCELLED");
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooSlow()), timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function createTurns(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}

function unresolved(cause?: unknown): AppError {
  return new AppError("FETCH_FAILED", { detail: "The name of its host has no address." }, cause);
}

function tooSlow(cause?: unknown): AppError {
  return new AppError("FETCH_TIMEOUT", { detail: "The address of its host could not be found in time." }, cause);
}
