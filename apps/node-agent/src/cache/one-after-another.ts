import { type EntryId, entryName } from "./disk/cache-folders.ts";

/** Does something with an entry when all that was asked for before it, of the same entry, is over. */
export type OneAfterAnother = <T>(id: EntryId, work: () => Promise<T>) => Promise<T>;

/** Within this process; others are kept away by the lock of the entry. */
export function createOneAfterAnother(): OneAfterAnother {
  const last = new Map<string, Promise<unknown>>();
  return async (id, work) => {
    const name = entryName(id);
    const mine = (last.get(name) ?? Promise.resolve()).then(work);
    const over = mine.catch(() => {});
    last.set(name, over);
    try {
      return await mine;
    } finally {
      if (last.get(name) === over) last.delete(name);
    }
  };
}
