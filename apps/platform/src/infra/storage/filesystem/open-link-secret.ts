import { randomBytes, randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import { syncFolder } from "@attune/service-kit/disk/sync-folder.ts";
import { codeOf } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./to-filesystem-error.ts";

/**
 * The secret that lies in the store, made at the first start. All nodes that have the folder mounted share it, and links stay
 * good over a restart.
 * @throws AppError `STORAGE_UNAVAILABLE` when the file holds no secret.
 */
export async function openLinkSecret(root: string): Promise<Secret> {
  const path = join(root, "link-secret");
  const own = join(root, `link-secret-${randomUUID()}`);
  const text = await onDisk(async () => {
    await writeFile(own, randomBytes(32).toString("hex"), { mode: 0o600, flush: true });
    try {
      // Of several nodes that start at once, one makes it and the others read it.
      await link(own, path).catch((error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
      });
      await syncFolder(root);
    } finally {
      await rm(own, { force: true });
    }
    return readFile(path, "utf8");
  });
  const secret = text.trim();
  if (secret.length < 32) throw new AppError("STORAGE_UNAVAILABLE", { detail: "Its file link-secret is damaged." });
  return new Secret(secret);
}
