import { AppError } from "@attune/service-kit/app-error.ts";
import { filesystemDefinition } from "./filesystem/definition.ts";
import type { ObjectStoreDefinition } from "./object-store-definition.ts";
import type { ObjectStore } from "./object-store.ts";
import { s3Definition } from "./s3/definition.ts";
import type { StorageValues } from "./storage-settings.ts";

/** Every store, one line each. */
export const objectStores: readonly ObjectStoreDefinition[] = [filesystemDefinition, s3Definition];

export interface ObjectStores {
  /** The one that new objects are put into. */
  readonly current: ObjectStore;
  /**
   * The store that an object lies in, which need not be the present one.
   * @throws AppError `STORAGE_UNAVAILABLE` when the configuration does not tell how to reach it.
   */
  get(name: string): Promise<ObjectStore>;
  close(): Promise<void>;
}

/** @throws AppError `STORAGE_UNAVAILABLE` when settings of the store that the configuration names are missing. */
export async function openObjectStores(values: StorageValues): Promise<ObjectStores> {
  const opened = new Map<string, Promise<ObjectStore>>();
  const get = (name: string): Promise<ObjectStore> => {
    const store = opened.get(name) ?? openStore(name, values);
    opened.set(name, store);
    // Next time it may work.
    store.catch(() => opened.delete(name));
    return store;
  };
  return {
    current: await get(values.store),
    get,
    close: async () => {
      for (const store of opened.values()) await (await store).close();
    },
  };
}

async function openStore(name: string, values: StorageValues): Promise<ObjectStore> {
  const definition = objectStores.find((store) => store.name === name);
  if (definition === undefined) throw new AppError("STORAGE_UNAVAILABLE", { detail: `There is no store ${name}.` });
  const missing = definition.findMissing(values);
  if (missing !== undefined) throw new AppError("STORAGE_UNAVAILABLE", { detail: missing });
  return definition.create(values);
}
