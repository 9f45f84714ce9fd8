import { AppError } from "@attune/service-kit/app-error.ts";
import { sql } from "drizzle-orm";
import type { Database } from "../../infra/db/create-database.ts";
import type { SecretBox } from "../../infra/secrets/secret-box.ts";
import { lockModelsWithSecret, replaceSealedSecret } from "./repo.ts";
import { secretOwnerOf } from "./service.ts";

/** Any number that no other lock of this database uses. */
const lockKey = 4_721_190_527;

export interface RotatedSecrets {
  readonly resealed: number;
  /** Models whose secret no key opens; they stay as they are. */
  readonly unreadable: readonly string[];
}

/**
 * Seals every stored secret with a new key: one that the platform makes, or the one that the operator configured. Nodes may
 * run meanwhile; what a node seals with the old key meanwhile is sealed anew by the next run.
 */
export async function rotateSecrets(database: Database, secretBox: SecretBox): Promise<RotatedSecrets> {
  return database.transaction(async (tx) => {
    // Two at once would each make a key, and one of them be lost.
    await tx.execute(sql`select pg_advisory_xact_lock(${lockKey})`);
    secretBox.renewKey();
    const unreadable: string[] = [];
    let resealed = 0;
    let afterId: string | undefined;
    for (;;) {
      const rows = await lockModelsWithSecret(tx, afterId);
      for (const { id, sealedSecret } of rows) {
        const state = sealedSecret === null ? "current" : resealOne(secretBox, id, sealedSecret);
        if (state === "unreadable") unreadable.push(id);
        if (typeof state === "string") continue;
        await replaceSealedSecret(tx, id, state.sealed);
        resealed++;
      }
      afterId = rows.at(-1)?.id;
      if (afterId === undefined) return { resealed, unreadable };
    }
  });
}

function resealOne(secretBox: SecretBox, id: string, sealed: string): "current" | "unreadable" | { sealed: string } {
  const owner = secretOwnerOf(id);
  try {
    return secretBox.isCurrent(sealed) ? "current" : { sealed: secretBox.seal(secretBox.open(sealed, owner), owner) };
  } catch (error) {
    if (error instanceof AppError && error.reason === "SECRET_UNREADABLE") return "unreadable";
    throw error;
  }
}
