import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../../apps/node-agent/src/config.ts";

const root = join(import.meta.dirname, "../..");
const unit = readFileSync(join(root, "deploy/node-agent/attune-node-agent.service"), "utf8");
const dockerfile = readFileSync(join(root, "deploy/node-agent/Dockerfile"), "utf8");

interface Node {
  readonly build: { readonly dockerfile?: string; readonly args: { readonly TORCH: string } };
  readonly image: string;
  readonly gpus?: string;
  readonly init?: boolean;
}

/** The services of a compose file. */
const servicesIn = (path: string): Record<string, Node> =>
  (parse(readFileSync(join(root, path), "utf8"), { merge: true }) as { services: Record<string, Node> }).services;

const settingsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(text.matchAll(/\b(NODE_AGENT_\w+)=([^\s…]+)/g), ([, name = "", value = ""]) => [name, value]),
  );

/** Lines that are no comments. */
const instructions = (text: string): string => text.replaceAll(/^#.*\n/gm, "");

test("the unit of systemd runs a program that exists, ends it alone, and makes settings that there are", () => {
  const [, program = "", command] = /^ExecStart=\/usr\/bin\/node (\S+) (\S+)$/m.exec(unit) ?? [];
  expect([existsSync(join(root, program)), command]).toEqual([true, "serve"]);
  // Jobs are to outlive the agent; by default systemd ends all processes of a service.
  expect(unit).toMatch(/^KillMode=process$/m);
  expect(loadConfig(settingsIn(instructions(unit))).dataFolder).toBe("/var/lib/attune-node");
});

test("the command of the image exists, starts, and knows what it is told", { timeout: 120_000 }, () => {
  const entry = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? "[]") as string[];
  const [, command = ""] = /^CMD \["(\w+)"\]$/m.exec(dockerfile) ?? [];
  const options = { cwd: root, encoding: "utf8", timeout: 60_000 } as const;
  const { status, stdout } = spawnSync(process.execPath, [...entry.slice(1), "--help"], options);
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
});

test("the image listens for others, so that it needs a token and takes no other setting than there are", () => {
  const settings = settingsIn(instructions(dockerfile));
  expect(() => loadConfig(settings)).toThrow(/^(?!.*no such setting).*NODE_AGENT_TOKEN/s);
  const config = loadConfig({ ...settings, NODE_AGENT_TOKEN: "a-token-of-some-length" });
  expect(config).toMatchObject({ host: "0.0.0.0", port: 8090, dataFolder: "/data" });
  expect(dockerfile).toMatch(/^EXPOSE 8090$/m);
});

test("the node of the compose file is built for the CPU, and gets the GPUs with an image of its own", () => {
  const { "node-agent": onGpu, ...others } = servicesIn("deploy/compose.gpu.yaml");
  const onCpu = servicesIn("deploy/compose.yaml")["node-agent"];
  expect(others).toEqual({});
  expect([onCpu?.build.args.TORCH, onCpu?.gpus]).toEqual(["cpu", undefined]);
  expect([onGpu?.build.args.TORCH, onGpu?.gpus]).toEqual(["cuda", "all"]);
  expect(onGpu?.image).not.toBe(onCpu?.image);
  const builds = /^RUN .*node tools\/setup-python-trainer\.ts --\$\{TORCH\}$/m;
  expect(dockerfile).toMatch(builds);
  // What a job leaves behind has nobody else to take it in.
  expect(onCpu?.init).toBe(true);
});
