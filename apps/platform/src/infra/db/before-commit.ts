import type { Transaction } from "./create-database.ts";

type Hook = (tx: Transaction) => Promise<void>;

const hooks = new WeakMap<Transaction, Hook[]>();

/** Runs `hook` as the last thing of a transaction, once its work is done; when it throws, all is rolled back. */
export function beforeCommit(tx: Transaction, hook: Hook): void {
  const own = hooks.get(tx);
  // What is registered on another one would be forgotten without a word.
  if (own === undefined) throw new Error("The transaction is not one of Database.transaction, or has ended.");
  own.push(hook);
}

/** Runs work and then the hooks that it registered. */
export async function withHooks<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const own: Hook[] = [];
  hooks.set(tx, own);
  try {
    const result = await work(tx);
    for (const hook of own) await hook(tx);
    return result;
  } finally {
    hooks.delete(tx);
  }
}
