import { type FSWatcher, watch } from "node:fs";

/** Tells when a file grew: the system's word where there is one, and a look every `pollMs` where it is silent or wrong. */
export interface ChangeWatch {
  /** Resolves at the next change, after `pollMs`, or at once when there was a change since the last call. Never throws. */
  next(signal?: AbortSignal): Promise<void>;
  close(): void;
}

export function watchChanges(path: string, pollMs = 250): ChangeWatch {
  let hasChanged = true;
  let wake: () => void = () => undefined;
  const note = () => {
    hasChanged = true;
    wake();
  };
  const watcher = startWatcher(path, note);
  return {
    next: (signal) =>
      new Promise((resolve) => {
        if (hasChanged || signal?.aborted === true) {
          hasChanged = false;
          resolve();
          return;
        }
        const finish = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", finish);
          wake = () => undefined;
          hasChanged = false;
          resolve();
        };
        const timer = setTimeout(finish, pollMs);
        signal?.addEventListener("abort", finish, { once: true });
        wake = finish;
      }),
    close: () => watcher?.close(),
  };
}

/** Without a watcher (the file is not there yet, or the system has none left) the poll alone does it. */
function startWatcher(path: string, note: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, note);
    watcher.on("error", () => undefined);
    return watcher;
  } catch {
    return undefined;
  }
}
