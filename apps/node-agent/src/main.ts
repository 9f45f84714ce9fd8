#!/usr/bin/env node
import { createLogger, type Logger } from "@attune/service-kit/create-logger.ts";
import { exitWithParent } from "@attune/service-kit/exit-with-parent.ts";
import { ConfigError } from "@attune/service-kit/load-config.ts";
import { onShutdown } from "@attune/service-kit/on-shutdown.ts";
import { serveMetrics } from "@attune/service-kit/serve-metrics.ts";
import { tellSupervisor } from "@attune/service-kit/supervisor-messages.ts";
import { type Agent, assembleAgent } from "./assemble-agent.ts";
import { type AgentConfig, loadConfig } from "./config.ts";

const status = { done: 0, failed: 1, badUsage: 2 } as const;

const help = `Usage: node-agent COMMAND

  serve   run training, evaluation and models on this machine, as asked over HTTP

Settings are environment variables: see docs/reference/configuration-node.md.
`;

process.exitCode = await run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof ConfigError ? status.badUsage : status.failed;
});
// The channel to a supervisor would keep alive what does not serve, and it would never be started again.
if (process.exitCode !== status.done) process.stderr.write("", () => process.exit());

async function run([name = "--help"]: readonly string[]): Promise<number> {
  if (name === "serve") {
    const config = loadConfig(process.env);
    return serve(config, createLogger("node-agent", config.logLevel));
  }
  const isHelp = name === "--help" || name === "help";
  (isHelp ? process.stdout : process.stderr).write(isHelp ? help : `There is no command ${name}.\n\n${help}`);
  return isHelp ? status.done : status.badUsage;
}

/** Models in memory end with the agent; jobs go on, and the next agent on the same data folder finds them. */
async function serve(config: AgentConfig, logger: Logger): Promise<number> {
  let running: Agent | undefined;
  exitWithParent(async () => running?.close());
  const agent = await assembleAgent(config, process.env, logger);
  running = agent;
  const { url, metrics } = await listen(agent, config).catch(async (error: unknown) => {
    await agent.close();
    throw error;
  });
  if (!tellSupervisor({ type: "ready", url })) process.stdout.write(`Node agent on ${url}\n`);
  const stop = async (): Promise<void> => {
    await agent.close();
    await metrics?.close();
  };
  onShutdown(stop, { isUsualEnd: true });
  return status.done;
}

async function listen({ server, metrics }: Agent, { host, port, metricsPort }: AgentConfig) {
  const url = await server.listen({ host, port });
  return { url, metrics: metricsPort === 0 ? undefined : await serveMetrics(metrics, host, metricsPort) };
}
