import type { ObjectStore, ObjectStoreFacts } from "./object-store.ts";
import type { StorageValues } from "./storage-settings.ts";

/**
 * Everything the platform knows of a store before it is made. A store's folder exports one; adding a store is that folder and
 * one line in `object-stores.ts`.
 */
export interface ObjectStoreDefinition extends ObjectStoreFacts {
  /** What the configuration lacks, and how to give it; undefined when the store can be made. */
  findMissing(values: StorageValues): string | undefined;
  create(values: StorageValues): Promise<ObjectStore>;
}
