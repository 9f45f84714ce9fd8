import { ConfigError, secretSetting, textSetting, urlSetting } from "@attune/service-kit/load-config.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import * as z from "zod";

/** Keys of the environment for signing in through an identity provider. */
export const oidcSettings = {
  PLATFORM_OIDC_ISSUER: urlSetting("Identity provider (OpenID Connect), by the URL of its issuer"),
  PLATFORM_OIDC_NAME: z
    .string()
    .default("Single sign-on")
    .meta({ description: "What the sign-in page calls the identity provider", allowed: "text" }),
  PLATFORM_OIDC_CLIENT_ID: textSetting("Client id at the identity provider"),
  PLATFORM_OIDC_CLIENT_SECRET: secretSetting("Client secret at the identity provider; public clients have none"),
  PLATFORM_PUBLIC_URL: urlSetting(
    "URL by which browsers reach the platform; the identity provider sends them back to it",
  ),
};

type Given = z.infer<z.ZodObject<typeof oidcSettings>>;

export interface OidcSettings {
  readonly issuer: URL;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: Secret | undefined;
  /** Where the provider sends browsers back to; it must be registered there, letter for letter. */
  readonly redirectUrl: string;
}

/** @throws ConfigError when something that belongs to the issuer is missing, or the issuer is reached in clear text. */
export function toOidcSettings(given: Given): OidcSettings | undefined {
  const { PLATFORM_OIDC_ISSUER: issuer, PLATFORM_OIDC_CLIENT_ID: clientId, PLATFORM_PUBLIC_URL: publicUrl } = given;
  if (issuer === undefined) return undefined;
  const missing = Object.entries({ PLATFORM_OIDC_CLIENT_ID: clientId, PLATFORM_PUBLIC_URL: publicUrl })
    .filter(([, value]) => value === undefined)
    .map(([key]) => `${key}: must be set, since PLATFORM_OIDC_ISSUER is`);
  const url = new URL(issuer);
  const faults = isSafe(url) ? missing : [...missing, "PLATFORM_OIDC_ISSUER: must begin with https://"];
  if (clientId === undefined || publicUrl === undefined || faults.length > 0) throw new ConfigError(faults);
  return {
    issuer: url,
    name: given.PLATFORM_OIDC_NAME,
    clientId,
    clientSecret: given.PLATFORM_OIDC_CLIENT_SECRET,
    redirectUrl: `${publicUrl.replace(/\/+$/, "")}/api/v1/session/oidc/callback`,
  };
}

/** Whether nobody between here and there can read or change what is said. */
const isSafe = ({ protocol, hostname }: URL): boolean => protocol === "https:" || isLoopback(hostname);

export const isLoopback = (hostname: string): boolean => /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/.test(hostname);
