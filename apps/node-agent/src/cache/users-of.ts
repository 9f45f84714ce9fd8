import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Logger } from "@attune/service-kit/create-logger.ts";

/** A path that something of the node uses. */
export interface PathUse {
  readonly path: string;
  /** What uses it, for people: `job j-1`, `session abc`. */
  readonly by: string;
}

/** What uses a folder or anything inside it. */
export type UsersOf = (folder: string) => readonly string[];

/**
 * Takes down what is in use now, wherever the links of its paths lead. When that cannot be told, everything counts as used:
 * nothing is removed then.
 */
export function createTakeUses(listUses: () => readonly PathUse[], logger: Logger): () => UsersOf {
  return () => {
    try {
      const uses = listUses().flatMap(({ path, by }) => placesOf(path).map((place) => ({ place, by })));
      return (folder) => {
        const inside = uses.filter(({ place }) => place === folder || place.startsWith(folder + sep));
        return [...new Set(inside.map(({ by }) => by))];
      };
    } catch (error) {
      logger.error({ error }, "what uses the cache cannot be told");
      return () => ["something that cannot be told now; the agent's log says why"];
    }
  };
}

function placesOf(path: string): string[] {
  try {
    return [resolve(path), realpathSync(path)];
  } catch {
    // It is not there yet, or no more; by its name it may still be meant.
    return [resolve(path)];
  }
}
