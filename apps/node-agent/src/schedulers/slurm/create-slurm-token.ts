import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AppError } from "@attune/service-kit/app-error.ts";
import { Secret } from "@attune/service-kit/secret.ts";

export interface SlurmTokenSettings {
  readonly token: Secret | undefined;
  /** Program and arguments of a command that prints a token, such as `scontrol token lifespan=3600`; run without a shell. */
  readonly tokenCommand: readonly string[] | undefined;
}

export interface SlurmToken {
  /** Makes a new one when the command is there and the present one has expired, or is `refused`. @throws AppError CLUSTER_ACCESS_DENIED. */
  get(refused?: Secret): Promise<Secret>;
}

const spareMs = 60_000;
const commandTimeoutMs = 10_000;

/** The token for slurmrestd: the fixed one, or those that a command makes, each until shortly before it expires. */
export function createSlurmToken({ token, tokenCommand }: SlurmTokenSettings, nowMs: () => number): SlurmToken {
  let current = token;
  let making: Promise<Secret> | undefined;
  const make = async (command: readonly string[]): Promise<Secret> => {
    try {
      return (current = await runCommand(command));
    } finally {
      making = undefined;
    }
  };
  return {
    get: async (refused) => {
      if (tokenCommand !== undefined) {
        const isUsable = current !== undefined && current !== refused && expiresAtMs(current) - spareMs > nowMs();
        return current !== undefined && isUsable ? current : await (making ??= make(tokenCommand));
      }
      if (current === undefined)
        throw denied("Neither NODE_AGENT_SLURM_TOKEN nor NODE_AGENT_SLURM_TOKEN_COMMAND is set.");
      const endMs = expiresAtMs(current);
      if (endMs <= nowMs()) throw denied(`The token expired at ${new Date(endMs).toISOString()}.`);
      return current;
    },
  };
}

const denied = (detail: string, cause?: unknown): AppError => new AppError("CLUSTER_ACCESS_DENIED", { detail }, cause);

const run = promisify(execFile);

async function runCommand([file = "", ...args]: readonly string[]): Promise<Secret> {
  try {
    const { stdout } = await run(file, args, { timeout: commandTimeoutMs, maxBuffer: 1024 * 1024 });
    // `scontrol token` prints SLURM_JWT=…
    const text = stdout.trim().replace(/^SLURM_JWT=/, "");
    if (/^[\x21-\x7e]+$/.test(text)) return new Secret(text);
  } catch (error) {
    throw denied(`The command of NODE_AGENT_SLURM_TOKEN_COMMAND failed: ${failureOf(error)}.`, error);
  }
  throw denied("The command of NODE_AGENT_SLURM_TOKEN_COMMAND printed no token.");
}

function failureOf(error: unknown): string {
  const { code, killed, stderr } = error as { code?: unknown; killed?: boolean; stderr?: string };
  if (killed === true) return `it did not end within ${commandTimeoutMs / 1000} s`;
  if (code === "ENOENT") return "there is no such program";
  const [line = ""] = (stderr ?? "").trim().split("\n");
  return `status ${String(code)}${line === "" ? "" : `, ${line.slice(0, 200)}`}`;
}

/** When a JSON Web Token expires; infinite for one that does not say. */
function expiresAtMs(token: Secret): number {
  const [, payload = ""] = token.reveal().split(".");
  try {
    const { exp } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { exp?: unknown };
    return typeof exp === "number" ? exp * 1000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY; // a token of another kind
  }
}
