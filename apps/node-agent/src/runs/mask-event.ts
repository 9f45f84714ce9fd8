import { maskSecrets } from "../process/mask-secrets.ts";

/** An event as it is told: what it says in words comes without what looks like a secret, as the log does. */
export function maskEvent<T extends object>(event: T): T {
  const masked = { ...event } as T & Record<string, unknown>;
  for (const name of words) {
    const value = masked[name];
    if (typeof value === "string") Object.assign(masked, { [name]: maskSecrets(value) });
  }
  return masked;
}

const words = ["message", "hint", "traceback_tail"] as const;
