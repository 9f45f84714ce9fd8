import type { ChatEvent } from "../engines/inference-engine.ts";
import type { ChatPlace } from "./chat-slots.ts";

/** The events of a chat when it is its turn. The place is left when they end, also when nobody ever reads them. */
export function chatInTurn(
  place: ChatPlace,
  begin: () => AsyncIterable<ChatEvent>,
  signal: AbortSignal,
): AsyncIterable<ChatEvent> {
  let hasBegun = false;
  const abandon = (): void => {
    if (!hasBegun) place.leave();
  };
  signal.addEventListener("abort", abandon, { once: true });
  async function* events(): AsyncGenerator<ChatEvent> {
    hasBegun = true;
    try {
      if (await hasTurn(place, signal)) yield* begin();
      else yield { type: "done", finish: "cancelled" };
    } finally {
      signal.removeEventListener("abort", abandon);
      place.leave();
    }
  }
  return events();
}

/** Whether the turn came before the caller went away. */
async function hasTurn({ turn }: ChatPlace, signal: AbortSignal): Promise<boolean> {
  try {
    await turn;
    return !signal.aborted;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
