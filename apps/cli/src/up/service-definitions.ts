import type { Environment } from "@attune/service-kit/load-config.ts";
import { programs } from "../repository.ts";
import { serviceEnvironment, type ServiceRequest } from "../service-environment.ts";
import type { ServiceDefinition } from "../supervisor/supervised-service.ts";

/** What `attune up` keeps running. */
export function serviceDefinitions(request: ServiceRequest): readonly ServiceDefinition[] {
  const environment = serviceEnvironment(request);
  return [
    {
      name: "parser",
      // See docs/adr/0005-buffers-are-freed.md.
      arguments: ["--max-semi-space-size=2", programs.parser, "serve"],
      environment: { ...environment, DATABASE_URL: undefined },
      drainTimeoutMs: drainTimeoutMs(request.environment["PARSER_DRAIN_TIMEOUT_MS"], 30_000),
    },
    {
      name: "platform",
      arguments: [programs.platform, "serve"],
      environment,
      drainTimeoutMs: drainTimeoutMs(request.environment["PLATFORM_DRAIN_TIMEOUT_MS"], 10_000),
    },
    {
      name: "node",
      arguments: [programs.nodeAgent, "serve"],
      environment: withoutSecretsOf(environment, /^(?:DATABASE_URL|PLATFORM_|PARSER_)/),
      // Models are unloaded when the requests have ended.
      drainTimeoutMs: drainTimeoutMs(request.environment["NODE_AGENT_DRAIN_TIMEOUT_MS"], 10_000) + 15_000,
    },
  ];
}

// What runs other people's programs is told nothing that it does not need.
const withoutSecretsOf = (environment: Environment, names: RegExp): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !names.test(name)));

// A service is given a little more than it gives its callers.
function drainTimeoutMs(setting: string | undefined, fallbackMs: number): number {
  return (/^\d+$/.test(setting ?? "") ? Number(setting) : fallbackMs) + 5000;
}
