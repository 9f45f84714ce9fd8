import { randomBytes } from "node:crypto";
import { existsSync, linkSync, rmSync, writeFileSync } from "node:fs";

/**
 * Makes the token that the node agent of this installation asks for, where there is none yet, in a file that only this user
 * can read. The file appears with its content, so that nobody reads half a token.
 */
export function keepNodeToken(path: string): void {
  if (existsSync(path)) return;
  const own = `${path}.${process.pid}`;
  writeFileSync(own, `${randomBytes(24).toString("hex")}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(own, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(own, { force: true });
  }
}
