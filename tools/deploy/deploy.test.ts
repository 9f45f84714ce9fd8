import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { loadConfig as loadNodeConfig } from "../../apps/node-agent/src/config.ts";
import { loadConfig as loadParserConfig } from "../../apps/parser/src/config.ts";
import { platformSettings } from "../../apps/platform/src/config.ts";
import { storageSettings } from "../../apps/platform/src/infra/storage/storage-settings.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly secrets?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}

interface Compose {
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const composeText = read("deploy/compose.yaml");
const { services, volumes, secrets } = parse(composeText, { merge: true }) as Compose;
const dockerfiles = readdirSync(join(root, "deploy"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `deploy/${name}/Dockerfile`);

/** The container file that makes an image. */
function dockerfileOf(service: Service): string | undefined {
  const maker = Object.values(services).find(({ image, build }) => image === service.image && build !== undefined);
  return maker?.build?.dockerfile;
}

const ours = Object.entries(services).filter(([, service]) => dockerfileOf(service) !== undefined);

/** Instructions of a container file, lines joined. */
function instructions(path: string): readonly (readonly [string, string])[] {
  return read(path)
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter(Boolean)
    .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as const);
}

/** What `${NAME:-fallback}` becomes where the variables that must be set are `value`. */
function substitute(text: string, value: string): string {
  return text.replaceAll(/\$\{\w+(?::([-?])([^}]*))?\}/g, (_, kind, fallback: string) =>
    kind === "-" ? fallback : value,
  );
}

test("the compose file holds what production needs, on the ports that are documented", () => {
  expect(Object.keys(services).toSorted()).toEqual([
    "bucket",
    "migrate",
    "minio",
    "node-agent",
    "parser",
    "platform",
    "postgres",
  ]);
  expect(services["minio"]?.ports).toEqual(["127.0.0.1:19000:19000", "127.0.0.1:19001:19001"]);
  expect(services["minio"]?.command?.join(" ")).toBe("server /data --address :19000 --console-address :19001");
  expect(services["platform"]?.ports).toEqual(["127.0.0.1:8080:8080"]);
  expect(services["node-agent"]?.ports).toEqual(["127.0.0.1:8090:8090"]);
  for (const { ports = [] } of Object.values(services))
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});

test("services and volumes that others name exist, and no image floats", () => {
  for (const { depends_on: needed = {}, volumes: mounts = [], image = "" } of Object.values(services)) {
    for (const name of Object.keys(needed)) expect(Object.keys(services)).toContain(name);
    for (const mount of mounts) expect(Object.keys(volumes)).toContain(mount.split(":")[0]);
    expect(substitute(image, "")).toMatch(/^attune\/[\w-]+$|^[\w/]+:[\w.-]*\d/);
  }
});

test("every variable that must be set is in the example, and no secret has a default", () => {
  const needed = new Set(composeText.match(/(?<=\$\{)\w+(?=:\?)/g));
  const example = read("deploy/production.env.example");
  expect(needed.size).toBeGreaterThan(3);
  for (const name of needed) expect(example).toMatch(new RegExp(`^${name}=$`, "m"));
  expect(composeText).not.toMatch(/(?:PASSWORD|TOKEN|SECRET)\w*:-/);
});

test("secrets in files are named where they are mounted, and git and images leave them out", () => {
  const used = Object.values(services).flatMap((service) => service.secrets ?? []);
  expect(used.toSorted()).toEqual(Object.keys(secrets).toSorted());
  for (const { secrets: own = [], environment = {} } of Object.values(services)) {
    const mounted = Object.values(environment).filter((value) => value.startsWith("/run/secrets/"));
    expect(mounted).toEqual(own.map((name) => `/run/secrets/${name}`));
  }
  const paths = ["deploy/production.env", ...Object.values(secrets).map(({ file }) => `deploy/${file}`)];
  const { stdout } = spawnSync("git", ["check-ignore", ...paths], { cwd: root, encoding: "utf8" });
  expect(stdout.trim().split("\n")).toEqual(paths);
  const images = new Set(dockerfiles.flatMap((path) => instructions(path).flatMap(([, rest]) => rest.split(" "))));
  for (const path of ["deploy", ".", ...paths]) expect(images).not.toContain(path);
});

test.each(ours)("%s runs as an ordinary user without rights, on a file system it cannot change", (_, service) => {
  expect(service.read_only).toBe(true);
  expect(service.cap_drop).toEqual(["ALL"]);
});

test.each(ours)("the command of %s exists, starts, and knows what it is told", { timeout: 120_000 }, (_, service) => {
  const lines = instructions(dockerfileOf(service) ?? "");
  const entry = JSON.parse(lines.find(([name]) => name === "ENTRYPOINT")?.[1] ?? "[]") as string[];
  const program = entry.at(-1) ?? "";
  expect(lines.some(([name, rest]) => name === "COPY" && rest.startsWith(program.replace(/\/main\.ts$/, "")))).toBe(
    true,
  );
  const { status, stdout } = spawnSync(process.execPath, [...entry.slice(1), "--help"], {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`\\b${service.command?.[0]}\\b`));
});

const checked = Object.entries(services).filter(([, { healthcheck }]) => healthcheck?.test[1] === "node");

test.each(checked)(
  "the health check of %s tells who serves from who does not",
  { timeout: 120_000 },
  async (_, service) => {
    const [kind, , , program = ""] = service.healthcheck?.test ?? [];
    const [, port = ""] = /^127\.0\.0\.1:(\d+):/.exec(service.ports?.[0] ?? "") ?? [];
    expect([kind, program]).toEqual(["CMD", expect.stringContaining(`127.0.0.1:${port}/healthz`)]);
    const statusAt = async (actual: number): Promise<unknown> => {
      const code = program.replace(`:${port}/`, `:${actual}/`);
      const [status] = await once(spawn(process.execPath, ["--eval", code], { stdio: "ignore" }), "exit");
      return status;
    };
    const server = createServer((__, response) => response.end("{}")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const actual = (server.address() as AddressInfo).port;
    expect(await statusAt(actual)).toBe(0);
    server.close();
    server.closeAllConnections();
    expect(await statusAt(actual)).toBe(1);
  },
);

/** Files of ours that a program imports, itself included, from the root. */
function importsOf(program: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(program)) return seen;
  seen.add(program);
  for (const [, path = ""] of read(program).matchAll(/\bfrom "(\.[^"]+)"/g)) importsOf(join(program, "..", path), seen);
  return seen;
}

test.each(dockerfiles)("%s has all files of the programs that it is built with", (path) => {
  const lines = instructions(path);
  const copied = lines.flatMap(([name, rest]) => (name === "COPY" ? rest.split(" ").slice(0, -1) : []));
  for (const [name, rest] of lines) {
    const [, program] = /\bnode (\S+\.ts)/.exec(name === "RUN" ? rest : "") ?? [];
    if (program === undefined) continue;
    const missing = [...importsOf(program)].filter((file) => !copied.some((one) => `${file}/`.startsWith(`${one}/`)));
    expect(missing).toEqual([]);
  }
});

test("the services take every setting that the compose file makes", () => {
  const given = (name: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(services[name]?.environment ?? {}).map(([key, text]) => [
        key,
        substitute(text, key.endsWith("_URL") || key.endsWith("ENDPOINT") ? "https://attune.example.org" : "secret1"),
      ]),
    );
  const platform = z.strictObject({ ...platformSettings, ...storageSettings });
  for (const name of ["platform", "migrate"]) expect(platform.safeParse(given(name)).error).toBeUndefined();
  expect(loadParserConfig(given("parser")).server.port).toBe(50_051);
  const tokenFile = join(mkdtempSync(join(tmpdir(), "attune-deploy-")), "token");
  onTestFinished(() => rmSync(dirname(tokenFile), { recursive: true }));
  writeFileSync(tokenFile, "a-token-of-some-length\n");
  const node = loadNodeConfig({ ...given("node-agent"), NODE_AGENT_TOKEN_FILE: tokenFile });
  expect([node.host, node.port, node.server.token?.reveal()]).toEqual(["0.0.0.0", 8090, "a-token-of-some-length"]);
});

test.each(dockerfiles)("%s builds from files that exist, on Node's own image, and ends as an ordinary user", (path) => {
  const lines = instructions(path);
  const stages = lines.flatMap(([name, rest]) => (name === "FROM" ? (/ AS (\w+)$/.exec(rest)?.[1] ?? []) : []));
  const images = lines.flatMap(([name, rest]) => (name === "FROM" ? (rest.split(" ")[0] ?? []) : []));
  const sources = lines
    .filter(([name, rest]) => name === "COPY" && !rest.startsWith("--from"))
    .flatMap(([, rest]) => rest.split(" ").slice(0, -1));
  expect(images.filter((image) => !stages.includes(image))).toEqual(
    images.filter((image) => image === "node:24-bookworm-slim"),
  );
  expect(images.at(-1)).toBe("node:24-bookworm-slim");
  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
  expect(lines.findLast(([name]) => name === "USER")?.[1]).toBe("node");
});

test.each(dockerfiles)("%s copies the manifests of all packages of ours that its program uses", (path) => {
  const copied = new Set(instructions(path).flatMap(([name, rest]) => (name === "COPY" ? rest.split(" ") : [])));
  const manifests = [...copied].filter((file) => /^(?:apps|packages)\/[\w-]+\/package\.json$/.test(file));
  for (const manifest of manifests) {
    const { dependencies = {} } = JSON.parse(read(manifest)) as { dependencies?: Record<string, string> };
    for (const name of Object.keys(dependencies).filter((one) => one.startsWith("@attune/")))
      expect(copied).toContain(`packages/${name.slice("@attune/".length)}/package.json`);
  }
  expect(manifests.length).toBeGreaterThan(2);
});
