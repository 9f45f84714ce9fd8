import { readFileSync } from "node:fs";
import * as z from "zod";
import { Secret } from "./secret.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Keys of the environment with what each means; `.describe()` and a default or `.optional()` on every one. */
export type SettingsShape = Readonly<Record<string, z.ZodType>>;

/** All faults of a configuration, one line each; the program prints them and ends with status 2. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.faults = faults;
  }
}

/**
 * Reads every key of `shape` from the environment. A key is unset when it is absent or empty. A secret may stand in a file
 * whose path is in KEY_FILE.
 * @throws ConfigError naming every fault at once, also misspelt keys that begin with `prefix`.
 */
export function loadSettings<TShape extends z.ZodRawShape>(
  shape: TShape,
  environment: Environment,
  prefix: string,
): z.infer<z.ZodObject<TShape>> {
  const faults = unknownKeys(shape, environment, prefix);
  const given: Record<string, string> = {};
  for (const [key, schema] of Object.entries(shape)) {
    const value = valueOf(key, { environment, isSecret: isSecretSetting(schema as z.ZodType), faults });
    if (value !== undefined) given[key] = value;
  }
  const parsed = z.object(shape).safeParse(given);
  if (!parsed.success) faults.push(...parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults);
  return parsed.data;
}

interface ValueRequest {
  readonly environment: Environment;
  readonly isSecret: boolean;
  readonly faults: string[];
}

function valueOf(key: string, { environment, isSecret, faults }: ValueRequest): string | undefined {
  const direct = environment[key];
  const path = isSecret ? environment[`${key}_FILE`] : undefined;
  if (direct !== undefined && direct !== "") {
    if (path) faults.push(`${key}: set it or ${key}_FILE, not both`);
    return direct;
  }
  if (path === undefined || path === "") return undefined;
  try {
    const value = readFileSync(path, "utf8").trimEnd();
    if (value === "") faults.push(`${key}_FILE: the file is empty`);
    return value === "" ? undefined : value;
  } catch {
    faults.push(`${key}_FILE: the file cannot be read`);
    return undefined;
  }
}

// Only a secret may stand in a file; KEY_FILE of any other key would be ignored without a word.
function isSecretFile(shape: z.ZodRawShape, key: string): boolean {
  const schema = key.endsWith("_FILE") ? shape[key.slice(0, -"_FILE".length)] : undefined;
  return schema !== undefined && isSecretSetting(schema as z.ZodType);
}

function unknownKeys(shape: z.ZodRawShape, environment: Environment, prefix: string): string[] {
  return Object.keys(environment)
    .filter((key) => key.startsWith(prefix) && !(key in shape) && !isSecretFile(shape, key))
    .map((key) => `${key}: there is no such setting`);
}

/** A secret text setting; also readable from the file named by KEY_FILE. */
export function secretSetting(
  description: string,
): z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<Secret, string>>> {
  return z
    .string()
    .refine((value) => /^[\x21-\x7e]+$/.test(value), { error: "must be visible ASCII characters without spaces" })
    .transform((value) => new Secret(value))
    .optional()
    .meta({ description, secret: true });
}

export function isSecretSetting(schema: z.ZodType): boolean {
  return schema.meta()?.["secret"] === true;
}

/** An integer setting within bounds, both included. */
export function integerSetting(
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: number },
  description: string,
): z.ZodDefault<z.ZodPipe<z.ZodString, z.ZodTransform<number, string>>> {
  const isAllowed = (text: string): boolean => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max;
  return z
    .string()
    .refine(isAllowed, { error: `must be an integer from ${min} to ${max}` })
    .transform(Number)
    .default(fallback)
    .meta({ description, allowed: `integer, ${min} to ${max}` });
}

export function flagSetting(
  fallback: boolean,
  description: string,
): z.ZodDefault<z.ZodPipe<z.ZodEnum<{ true: "true"; false: "false" }>, z.ZodTransform<boolean, "true" | "false">>> {
  return z
    .enum(["true", "false"])
    .transform((value) => value === "true")
    .default(fallback)
    .meta({ description, allowed: "true, false" });
}

/** A list written with commas; empty when unset. */
export function listSetting(
  description: string,
): z.ZodDefault<z.ZodPipe<z.ZodString, z.ZodTransform<readonly string[], string>>> {
  return z
    .string()
    .transform((value): readonly string[] =>
      value
        .split(",")
        .map((item) => item.trim())
        .filter(Boolean),
    )
    .default([])
    .meta({ description, allowed: "list with commas" });
}

/** An http or https URL without user, query or fragment. */
export function urlSetting(description: string): z.ZodOptional<z.ZodString> {
  return z
    .string()
    .refine(isServiceUrl, { error: "must be a URL such as http://host:8000" })
    .optional()
    .meta({ description, allowed: "URL" });
}

function isServiceUrl(text: string): boolean {
  const url = URL.parse(text);
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  return isWeb && url.username === "" && url.search === "" && url.hash === "";
}

export function textSetting(description: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().meta({ description, allowed: "text" });
}
