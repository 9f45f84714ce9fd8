import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { digestOf, readObject, reasonOf } from "../store-fixture.contract.ts";
import { createFilesystemStore } from "./filesystem-store.ts";

/** This file, to be run with the path of a store on a disk of less than 8 MB; prints what happened as JSON. */
export const fillStoreProgram = import.meta.filename;

if (import.meta.main) process.stdout.write(JSON.stringify(await fillStore(process.argv[2] ?? "")));

async function fillStore(path: string) {
  const store = await createFilesystemStore({ path, publicUrl: "http://localhost:8080" });
  const small = Buffer.alloc(1_000_000);
  const large = Buffer.alloc(8_000_000);
  const first = await store.put("first", small);
  const reason = await reasonOf(() => store.put("large", large));
  const upload = await store.createUpload("parted");
  const partReason = await reasonOf(() => store.putPart(upload, { partNumber: 1, body: large }));
  const temporary = await readdir(join(path, "temporary"));
  const after = await store.put("after", small);
  const isFirstRight = digestOf(await readObject(store, "first")).sha256 === first.sha256;
  return { first, reason, partReason, isThere: await store.exists("large"), temporary, after, isFirstRight };
}
