/** Those who wait for a worker, first come, first served. */
export interface WaitingLine<TValue> {
  readonly length: number;
  readonly isFull: boolean;
  /** @throws the reason of `signal` when it aborts first. */
  wait(atHead: boolean, signal: AbortSignal): Promise<TValue>;
  /** Hands the value to the first in the line; false when nobody waits. */
  give(value: TValue): boolean;
  rejectAll(error: Error): void;
}

export function createWaitingLine<TValue>(maxLength: number): WaitingLine<TValue> {
  const line: Waiter<TValue>[] = [];
  return {
    get length() {
      return line.length;
    },
    get isFull() {
      return line.length >= maxLength;
    },
    wait: (atHead, signal) =>
      new Promise((resolve, reject) => {
        const leave = () => {
          line.splice(line.indexOf(waiter), 1);
          reject(signal.reason as Error);
        };
        const settle = (answer: () => void) => {
          signal.removeEventListener("abort", leave);
          answer();
        };
        const waiter: Waiter<TValue> = {
          accept: (value) => settle(() => resolve(value)),
          refuse: (error) => settle(() => reject(error)),
        };
        signal.addEventListener("abort", leave, { once: true });
        if (atHead) line.unshift(waiter);
        else line.push(waiter);
      }),
    give: (value) => {
      const first = line.shift();
      first?.accept(value);
      return first !== undefined;
    },
    rejectAll: (error) => {
      for (const waiter of line.splice(0)) waiter.refuse(error);
    },
  };
}

interface Waiter<TValue> {
  accept(value: TValue): void;
  refuse(error: Error): void;
}
