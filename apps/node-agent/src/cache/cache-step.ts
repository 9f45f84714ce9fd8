/**
 * Called after each step that a crash may fall between; tests end the process in it. What the steps of a preparation are
 * stands in `prepare-entry.ts` and `fetch-file.ts`.
 */
export type CacheStep = (name: string) => Promise<void>;

export const noStep: CacheStep = async () => {};
