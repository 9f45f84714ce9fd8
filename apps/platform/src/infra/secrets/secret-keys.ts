import { createHash, createSecretKey, type KeyObject, randomBytes, randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { SecretKeySource } from "./secret-settings.ts";

/** One key of 256 bits. */
export interface SecretKey {
  /** Says which key encrypted a secret; tells nothing of the key. */
  readonly id: string;
  readonly key: KeyObject;
}

export interface SecretKeys {
  /** The present key first, then those before it. @throws AppError `SECRET_KEY_UNUSABLE`. */
  list(): readonly [SecretKey, ...SecretKey[]];
  /**
   * Makes a new key the present one, where the platform keeps its keys itself; else the operator has configured it.
   * Two at once would lose a key: call it under a lock.
   */
  renew(): void;
}

const keyBytes = 32;

/**
 * The keys of this installation. Those in the file are read each time, so that a node that runs uses a new one at once; old
 * ones stay in it, because backups of the database need them.
 * @throws AppError `SECRET_KEY_UNUSABLE` for a key that is none, or a file that cannot be read or made.
 */
export function openSecretKeys({ configured, file }: SecretKeySource): SecretKeys {
  if (configured !== undefined) {
    const keys = parseKeys([
      configured.present.reveal(),
      ...(configured.previous?.reveal().split(",").filter(Boolean) ?? []),
    ]);
    return { list: () => keys, renew: () => undefined };
  }
  onFile(() => makeFile(file));
  const read = (): string[] => onFile(() => readFileSync(file, "utf8").split("\n").filter(Boolean));
  const list = (): readonly [SecretKey, ...SecretKey[]] => parseKeys(read());
  list();
  return { list, renew: () => onFile(() => replaceFile(file, [makeKey(), ...read()])) };
}

const makeKey = (): string => randomBytes(keyBytes).toString("base64");

// Of several processes that start at once, one makes the file and the others use it.
function makeFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const own = writeOwn(file, [makeKey()]);
  try {
    linkSync(own, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(own, { force: true });
  }
  syncFolder(file);
}

function replaceFile(file: string, lines: readonly string[]): void {
  renameSync(writeOwn(file, lines), file);
  syncFolder(file);
}

// A key must not be lost with the power when a secret that it sealed is not.
function syncFolder(file: string): void {
  const folder = openSync(dirname(file), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function writeOwn(file: string, lines: readonly string[]): string {
  const own = `${file}-${randomUUID()}`;
  writeFileSync(own, `${lines.join("\n")}\n`, { mode: 0o600, flag: "wx", flush: true });
  return own;
}

function parseKeys(texts: readonly string[]): readonly [SecretKey, ...SecretKey[]] {
  const [present, ...previous] = texts.map(parseKey);
  if (present === undefined) throw new AppError("SECRET_KEY_UNUSABLE", { detail: "There is no key." });
  return [present, ...previous];
}

function parseKey(text: string): SecretKey {
  const bytes = Buffer.from(text, "base64");
  const isKey = bytes.length === keyBytes && /^[\w+/-]{43}=?$/.test(text.trim());
  if (!isKey) throw new AppError("SECRET_KEY_UNUSABLE", { detail: "A key is not 32 bytes in Base64." });
  return { id: createHash("sha256").update(bytes).digest("hex").slice(0, 12), key: createSecretKey(bytes) };
}

function onFile<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new AppError("SECRET_KEY_UNUSABLE", { detail: `The file of keys cannot be used: ${code}.` }, error);
  }
}
