import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface PlatformProcess {
  readonly baseUrl: string;
  /** What the first start prints: `First sign-in: ADDRESS PASSWORD`. */
  readonly firstSignIn: { readonly email: string; readonly password: string } | undefined;
  /** Sends a signal and waits for the end; gives the exit status, null after a killing signal. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
}

const program = join(import.meta.dirname, "../main.ts");

/** `platform serve` as a process of its own, once it listens. The database must be migrated. */
export async function startPlatformProcess(environment: Readonly<Record<string, string>>): Promise<PlatformProcess> {
  const child = spawn(process.execPath, [program, "serve"], {
    env: { PLATFORM_PORT: "0", PLATFORM_LOG_LEVEL: "error", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const ready = Promise.withResolvers<string>();
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    const url = /^Attune on (\S+)$/m.exec(output)?.[1];
    if (url !== undefined) ready.resolve(url);
  });
  void exited.then(() => ready.reject(new Error(`The platform ended before it was ready: ${output}`)));
  const baseUrl = await ready.promise;
  const [, email, password] = /^First sign-in: (\S+) (.+)$/m.exec(output) ?? [];
  return {
    baseUrl,
    firstSignIn: email === undefined || password === undefined ? undefined : { email, password },
    end: async (signal) => {
      child.kill(signal);
      const [status] = (await exited) as [number | null];
      return status;
    },
  };
}
