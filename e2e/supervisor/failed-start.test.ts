import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";

const apps = join(import.meta.dirname, "../../apps");

/** A port on which something else listens. */
async function takePort(): Promise<{ port: number; close: () => void }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { port: typeof address === "object" && address !== null ? address.port : 0, close: () => server.close() };
}

test.each([
  ["platform", { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", PLATFORM_PORT: "0" }, /ECONNREFUSED/],
  ["parser", {}, /EADDRINUSE|address/i],
] as const)("a %s that cannot start ends, so that its supervisor tries again", async (app, settings, why) => {
  const { port, close } = await takePort();
  const child = fork(join(apps, app, "src/main.ts"), ["serve"], {
    env: { PATH: process.env["PATH"], PARSER_PORT: String(port), ...settings },
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let told = "";
  child.stderr?.on("data", (text: Buffer) => (told += text.toString()));
  try {
    // What hangs runs into the time limit of the test.
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).toBe(1);
    expect(told).toMatch(why);
  } finally {
    child.kill("SIGKILL");
    close();
  }
});
