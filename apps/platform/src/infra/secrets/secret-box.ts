import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import type { SecretKey, SecretKeys } from "./secret-keys.ts";

/** Encrypts secrets for the database. */
export interface SecretBox {
  /**
   * Seals a secret for one record; under the name of another record it does not open.
   * @throws AppError `SECRET_KEY_UNUSABLE`.
   */
  seal(secret: Secret, owner: string): string;
  /** @throws AppError `SECRET_UNREADABLE` when no key opens it, or it was changed or belongs to another record. */
  open(sealed: string, owner: string): Secret;
  /** Whether it is sealed with the present key. */
  isCurrent(sealed: string): boolean;
  /** Makes a new key the present one, where the platform keeps its keys itself. Call it under a lock. */
  renewKey(): void;
}

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM with a random IV; the owner is authenticated. The envelope is `v1:KEY ID:IV, ciphertext and tag in Base64URL`. */
export function createSecretBox(keys: SecretKeys): SecretBox {
  return {
    seal: (secret, owner) => {
      const [{ id, key }] = keys.list();
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(owner));
      const bytes = Buffer.concat([iv, cipher.update(secret.reveal(), "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `v1:${id}:${bytes.toString("base64url")}`;
    },
    open: (sealed, owner) => {
      const { keyId, bytes } = parseEnvelope(sealed);
      const key = keys.list().find(({ id }) => id === keyId);
      if (key === undefined) throw new AppError("SECRET_UNREADABLE", { detail: `Its key ${keyId} is not there.` });
      return decrypt(key, bytes, owner);
    },
    isCurrent: (sealed) => parseEnvelope(sealed).keyId === keys.list()[0].id,
    renewKey: () => keys.renew(),
  };
}

function parseEnvelope(sealed: string): { readonly keyId: string; readonly bytes: Buffer } {
  const [, keyId = "", text = ""] = /^v1:([\da-f]{12}):([\w-]+)$/.exec(sealed) ?? [];
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length < ivBytes + tagBytes) throw new AppError("SECRET_UNREADABLE", { detail: "It is damaged." });
  return { keyId, bytes };
}

function decrypt({ key }: SecretKey, bytes: Buffer, owner: string): Secret {
  try {
    const iv = bytes.subarray(0, ivBytes);
    const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes })
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(-tagBytes));
    const plain = Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]);
    return new Secret(plain.toString("utf8"));
  } catch (error) {
    throw new AppError("SECRET_UNREADABLE", { detail: "It was changed, or belongs to another record." }, error);
  }
}
