import { appendOperation as appendLine } from "./features/audit/index.ts";
import { eventsOfOperation, publishEvent } from "./features/events/index.ts";
import type { Operation } from "./http/route-binding.ts";
import type { Transaction } from "./infra/db/create-database.ts";

/** Writes the line of an operation, and the events that tell it too, in its transaction. */
export async function appendOperation(tx: Transaction, operation: Operation): Promise<void> {
  for (const event of eventsOfOperation(operation)) publishEvent(tx, event);
  await appendLine(tx, operation);
}
