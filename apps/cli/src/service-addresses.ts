import type { Environment } from "@attune/service-kit/load-config.ts";
import type { CliConfig } from "./config.ts";

/** Where this machine reaches the parser. */
export function parserOrigin({ parserPort }: CliConfig, environment: Environment): string {
  const scheme = environment["PARSER_TLS_CERT_PATH"] ? "https" : "http";
  return `${scheme}://${reachable(environment["PARSER_HOST"] || "127.0.0.1")}:${parserPort}`;
}

/** Where this machine reaches the platform. */
export function platformOrigin({ host, port }: CliConfig): string {
  return `http://${reachable(host)}:${port}`;
}

/** Where this machine reaches the node agent. */
export function nodeAgentOrigin({ nodePort }: CliConfig, environment: Environment): string {
  return `http://${reachable(environment["NODE_AGENT_HOST"] || "127.0.0.1")}:${nodePort}`;
}

// A service that listens on every address is asked on this machine's own.
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
