import { sep } from "node:path";

/** A path that something of the node uses. */
export interface PathUse {
  readonly path: string;
  /** What uses it, for people: `job j-1`, `session abc`. */
  readonly by: string;
}

/** Finds what uses a folder or anything inside it. Paths are compared as they are written. */
export function createUsersOf(listUses: () => readonly PathUse[]): (folder: string) => readonly string[] {
  return (folder) => {
    const inside = listUses().filter(({ path }) => path === folder || path.startsWith(folder + sep));
    return [...new Set(inside.map(({ by }) => by))];
  };
}
