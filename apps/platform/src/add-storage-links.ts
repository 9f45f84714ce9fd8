import type { FastifyInstance } from "fastify";
import type { FilesystemStore } from "./infra/storage/filesystem/filesystem-store.ts";
import { serveLink } from "./infra/storage/filesystem/serve-link.ts";
import { linkPath } from "./infra/storage/filesystem/signed-link.ts";
import type { ObjectStore } from "./infra/storage/object-store.ts";

/** Serves the links that the store on the file system makes; those of other stores lead to the store itself. */
export async function addStorageLinks(server: FastifyInstance, store: ObjectStore): Promise<void> {
  if (!isFilesystemStore(store)) return;
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.route({
      method: ["GET", "PUT"],
      url: `${linkPath}*`,
      handler: async (request, reply) => {
        try {
          await serveLink(store, request.raw, reply.raw);
        } catch (error) {
          // Once the answer has begun, its breaking off is what the receiver sees.
          if (!reply.raw.headersSent) throw error;
        }
        return reply.hijack();
      },
    });
  });
}

const isFilesystemStore = (store: ObjectStore): store is FilesystemStore => "verifyLink" in store;
