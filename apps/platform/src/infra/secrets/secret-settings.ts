import { resolve } from "node:path";
import { secretSetting } from "@attune/service-kit/load-config.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import type * as z from "zod";

/** Keys of the environment that say with what secrets in the database are encrypted. */
export const secretSettings = {
  PLATFORM_SECRET_KEY: secretSetting(
    "Key that encrypts secrets in the database: 32 bytes in Base64, as `openssl rand -base64 32` makes them; the platform makes and keeps its own in ATTUNE_DATA_DIR when unset; several nodes need the same one",
  ),
  PLATFORM_SECRET_KEY_PREVIOUS: secretSetting(
    "Keys that it was before, with commas between them; needed until `platform rotate-secrets` has run",
  ),
};

type Settings = z.infer<z.ZodObject<typeof secretSettings>>;

/** Where the keys come from. */
export interface SecretKeySource {
  /** The present key and those before it, as they are configured; undefined: they lie in the file. */
  readonly configured: { readonly present: Secret; readonly previous: Secret | undefined } | undefined;
  readonly file: string;
}

export function toSecretKeySource(settings: Settings, dataFolder: string): SecretKeySource {
  const { PLATFORM_SECRET_KEY: present, PLATFORM_SECRET_KEY_PREVIOUS: previous } = settings;
  const configured = present === undefined ? undefined : { present, previous };
  return { configured, file: resolve(dataFolder, "secret-keys") };
}
