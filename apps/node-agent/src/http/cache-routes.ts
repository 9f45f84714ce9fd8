import {
  cacheEntryParams,
  cacheEntryView,
  cacheListView,
  prepareRequest,
} from "@attune/contracts/compute/cache-api.ts";
import type { Cache } from "../cache/cache.ts";
import { bindNodeRoute, defineNodeRoute, type NodeBinding } from "./node-route.ts";

const common = { access: "token", tag: "cache" } as const;

export const prepareCacheEntry = defineNodeRoute({
  ...common,
  id: "prepareCacheEntry",
  method: "POST",
  path: "/compute/cache/prepare",
  summary: "Brings a model or a data set onto the node; answers at once, and joins what is under way",
  body: prepareRequest,
  responses: { 200: cacheEntryView },
  // A hundred thousand files with presigned links.
  maxBodyBytes: 256 * 1024 * 1024,
});

export const listCacheEntries = defineNodeRoute({
  ...common,
  id: "listCacheEntries",
  method: "GET",
  path: "/compute/cache",
  summary: "What the cache has, makes and failed to make, and how much room it takes",
  responses: { 200: cacheListView },
});

export const getCacheEntry = defineNodeRoute({
  ...common,
  id: "getCacheEntry",
  method: "GET",
  path: "/compute/cache/{kind}/{key}",
  summary: "State, progress and place of an entry",
  params: cacheEntryParams,
  responses: { 200: cacheEntryView },
});

export const cancelCacheEntry = defineNodeRoute({
  ...common,
  id: "cancelCacheEntry",
  method: "POST",
  path: "/compute/cache/{kind}/{key}/cancel",
  summary: "Ends a preparation and removes what has come of it; a complete entry stays",
  params: cacheEntryParams,
  responses: { 200: cacheEntryView },
});

export const verifyCacheEntry = defineNodeRoute({
  ...common,
  id: "verifyCacheEntry",
  method: "POST",
  path: "/compute/cache/{kind}/{key}/verify",
  summary: "Hashes all files of an entry again; answers at once, and what does not fit is set aside",
  params: cacheEntryParams,
  responses: { 200: cacheEntryView },
});

export const deleteCacheEntry = defineNodeRoute({
  ...common,
  id: "deleteCacheEntry",
  method: "DELETE",
  path: "/compute/cache/{kind}/{key}",
  summary: "Removes an entry that nothing uses, with all that is unfinished or set aside of it",
  params: cacheEntryParams,
  responses: { 204: null },
});

/** The operations of the cache. */
export function cacheRoutes(cache: Cache): NodeBinding[] {
  return [
    bindNodeRoute(prepareCacheEntry, async ({ body }) => ({ body: await cache.prepare(body) })),
    bindNodeRoute(listCacheEntries, async () => ({ body: await cache.list() })),
    bindNodeRoute(getCacheEntry, async ({ params }) => ({ body: await cache.get(params) })),
    bindNodeRoute(cancelCacheEntry, async ({ params }) => ({ body: await cache.cancel(params) })),
    bindNodeRoute(verifyCacheEntry, async ({ params }) => ({ body: await cache.verify(params) })),
    bindNodeRoute(deleteCacheEntry, async ({ params }) => {
      await cache.remove(params);
      return {};
    }),
  ];
}
