import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import { startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { httpStatusOf } from "@attune/contracts/errors/http-status.ts";
import { describeObjectStore } from "../object-store.contract.ts";
import type { StoreFixture } from "../store-fixture.contract.ts";
import { createFilesystemStore, type FilesystemStore } from "./filesystem-store.ts";
import { serveLink } from "./serve-link.ts";

describeObjectStore("file system", startFilesystemStore);

async function startFilesystemStore(): Promise<StoreFixture> {
  const path = await mkdtemp(join(tmpdir(), "attune-store-"));
  const stores: FilesystemStore[] = [];
  const server = await startHttpFixture((request, response) => {
    const [store] = stores;
    if (store === undefined) return;
    serveLink(store, request, response).catch((error: unknown) => {
      request.resume();
      const status = error instanceof AppError ? httpStatusOf[error.entry.code] : 500;
      if (response.headersSent) response.destroy();
      else response.writeHead(status).end();
    });
  });
  const linkSecret = new Secret("a-secret-of-the-tests-32-characters");
  const store = await createFilesystemStore({ path, publicUrl: server.origin, linkSecret });
  stores.push(store);
  const sizeOf = async (folder: string) => {
    const names = await readdir(join(path, folder));
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(path, folder, name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  return {
    store,
    countLeftovers: async () =>
      (await readdir(join(path, "temporary"))).length + (await readdir(join(path, "uploads"))).length,
    countArrivedBytes: () => sizeOf("temporary"),
    inFlightBytes: 2 ** 20,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await server[Symbol.asyncDispose]();
      await rm(path, { recursive: true });
    },
  };
}
