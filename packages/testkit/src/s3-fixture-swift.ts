import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findClosedPort } from "./http-fixture.ts";
import { createSetupCalls } from "./s3-fixture-client.ts";
import type { S3Fixture } from "./s3-fixture.ts";

const programs = [
  "setpriv",
  "memcached",
  "swift-proxy-server",
  "swift-account-server",
  "swift-container-server",
  "swift-object-server",
];
const storageServers = ["account", "container", "object"] as const;
type StorageServer = (typeof storageServers)[number];

/** Why OpenStack Swift cannot be started here; `undefined` when it can. */
export async function findSwiftObstacle(): Promise<string | undefined> {
  const isMissing = (program: string) => {
    try {
      execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
      return false;
    } catch {
      return true;
    }
  };
  const missing = programs.filter(isMissing);
  if (missing.length > 0) {
    return `not installed: ${missing.join(", ")} (Debian: swift-proxy swift-account swift-container swift-object memcached)`;
  }
  const settings = await readFile("/etc/swift/swift.conf", "utf8").catch(() => "");
  return /^swift_hash_path_(?:prefix|suffix)/m.test(settings) ? undefined : "/etc/swift/swift.conf cannot be read";
}

/**
 * A real S3 server: OpenStack Swift with its S3 API, one device, one replica, all in a temporary folder.
 * @throws Error when it does not come up within 50 seconds.
 */
export async function startSwift(): Promise<S3Fixture> {
  const folder = await mkdtemp(join(tmpdir(), "swift-"));
  const ports = { cache: await findClosedPort(), proxy: await findClosedPort() };
  const storagePorts = await findStoragePorts();
  const children: ChildProcess[] = [];
  // The servers die with this process, however it ends.
  const start = (...command: string[]) =>
    children.push(spawn("setpriv", ["--pdeathsig", "KILL", ...command], { stdio: "ignore" }));
  const dispose = () => stop(children, folder);
  try {
    start("memcached", "-u", userInfo().username, "-l", "127.0.0.1", "-p", String(ports.cache));
    buildRings(folder, storagePorts);
    await mkdir(join(folder, "devices", "d1"), { recursive: true });
    for (const kind of storageServers) {
      const path = join(folder, `${kind}.conf`);
      start(`swift-${kind}-server`, await write(path, storageSettings(folder, kind, storagePorts[kind])));
    }
    start("swift-proxy-server", await write(join(folder, "proxy.conf"), proxySettings(folder, ports)));
    await Promise.all([...Object.values(ports), ...Object.values(storagePorts)].map(untilListening));
  } catch (error) {
    await dispose();
    throw error;
  }
  const key = { accessKeyId: "test:tester", secretAccessKey: "testing", region: "us-east-1" };
  const endpoint = `http://127.0.0.1:${ports.proxy}`;
  const setup = createSetupCalls(endpoint, key);
  const createBucket: S3Fixture["createBucket"] = (bucket) => retry(() => setup.createBucket(bucket));
  const putObject: S3Fixture["putObject"] = (place, content) => retry(() => setup.putObject(place, content));
  return { endpoint, ...key, createBucket, putObject, [Symbol.asyncDispose]: dispose };
}

async function findStoragePorts(): Promise<Record<StorageServer, number>> {
  return { account: await findClosedPort(), container: await findClosedPort(), object: await findClosedPort() };
}

// One Python for all three rings; the command swift-ring-builder would need nine.
function buildRings(folder: string, ports: Record<StorageServer, number>): void {
  const script = `
import json, sys
from swift.common.ring import RingBuilder
for kind, port in json.loads(sys.argv[2]).items():
    builder = RingBuilder(4, 1, 0)
    builder.add_dev(dict(region=1, zone=1, ip='127.0.0.1', port=port, device='d1', weight=1, id=0))
    builder.rebalance()
    builder.get_ring().save('%s/%s.ring.gz' % (sys.argv[1], kind))
`;
  execFileSync("/usr/bin/python3", ["-c", script, folder, JSON.stringify(ports)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
}

function storageSettings(folder: string, kind: StorageServer, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`;
}

function proxySettings(folder: string, ports: { readonly cache: number; readonly proxy: number }): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${ports.proxy}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
[pipeline:main]
pipeline = catch_errors gatekeeper cache s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
# On a machine that is busy with other tests a server is slow, not broken.
conn_timeout = 30
node_timeout = 60
recoverable_node_timeout = 60
error_suppression_limit = 1000000
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${ports.cache}
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`;
}

async function write(path: string, text: string): Promise<string> {
  await writeFile(path, text);
  return path;
}

async function untilListening(port: number): Promise<void> {
  const canConnect = () =>
    new Promise<boolean>((resolve) => {
      const socket = createConnection(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
  const endsAtMs = performance.now() + 50_000;
  while (!(await canConnect())) {
    if (performance.now() > endsAtMs) throw new Error("Swift did not come up within 50 seconds");
    await sleep(100);
  }
}

// What has just started may say that it is not available.
async function retry(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(100);
    }
  }
}

async function stop(children: readonly ChildProcess[], folder: string): Promise<void> {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const exits = running.map((child) => new Promise((resolve) => child.once("exit", resolve).once("error", resolve)));
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(exits);
  await rm(folder, { recursive: true, force: true });
}
