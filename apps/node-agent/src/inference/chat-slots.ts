import { AppError } from "@attune/service-kit/app-error.ts";

/** A place among the chats of one model. */
export interface ChatPlace {
  /** Resolves when it is the chat's turn. @throws the error that the slots were closed with, or the signal's reason */
  readonly turn: Promise<void>;
  /** Gives the place to the next one; may be called again. */
  leave(): void;
}

/** As many chats at once as the engine answers, and a bounded number that wait, in the order in which they came. */
export interface ChatSlots {
  /**
   * Takes a place now. Who is aborted while waiting has left.
   * @throws AppError MODEL_QUEUE_FULL
   */
  take(signal: AbortSignal): ChatPlace;
  readonly active: number;
  readonly waiting: number;
  /** Ends the waiting of all, with this error. */
  close(error: AppError): void;
}

interface Waiter {
  readonly start: () => void;
  readonly fail: (reason: unknown) => void;
}

interface Slots {
  readonly waiters: Waiter[];
  active: number;
}

/** @param concurrency chats at once  @param maxWaiting chats that may wait */
export function createChatSlots(concurrency: number, maxWaiting: number): ChatSlots {
  const slots: Slots = { waiters: [], active: 0 };
  return {
    take: (signal) => {
      const { active, waiters } = slots;
      if (active < concurrency) return takeFree(slots);
      if (waiters.length >= maxWaiting) throw full(active, waiters.length);
      return waitInLine(slots, signal);
    },
    get active() {
      return slots.active;
    },
    get waiting() {
      return slots.waiters.length;
    },
    close: (error) => {
      for (const waiter of slots.waiters.splice(0)) {
        // Its place is counted as taken until it leaves.
        slots.active++;
        waiter.fail(error);
      }
    },
  };
}

function takeFree(slots: Slots): ChatPlace {
  slots.active++;
  return { turn: Promise.resolve(), leave: once(() => passOn(slots)) };
}

function waitInLine(slots: Slots, signal: AbortSignal): ChatPlace {
  const { waiters } = slots;
  const { promise: turn, resolve: start, reject: fail } = Promise.withResolvers<void>();
  // Who has left before its turn has nobody who waits for it.
  turn.catch(() => undefined);
  const waiter = { start, fail };
  const onAbort = (): void => {
    if (!waiters.includes(waiter)) return;
    fail(signal.reason);
    leave();
  };
  const leave = once(() => {
    signal.removeEventListener("abort", onAbort);
    const at = waiters.indexOf(waiter);
    if (at === -1) passOn(slots);
    else waiters.splice(at, 1);
  });
  waiters.push(waiter);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  return { turn, leave };
}

function passOn(slots: Slots): void {
  const waiter = slots.waiters.shift();
  if (waiter === undefined) slots.active--;
  else waiter.start();
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

const full = (active: number, waiting: number): AppError =>
  new AppError("MODEL_QUEUE_FULL", {
    detail: `${active} are being answered and ${waiting} wait.`,
    retryAfterMs: 1000 * Math.max(1, waiting),
  });
