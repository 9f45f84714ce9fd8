import { appendOperation as appendLine } from "./features/audit/index.ts";
import { eventsOfOperation, publishEvent } from "./features/events/index.ts";
import type { Operation } from "./http/route-binding.ts";
import type { Transaction } from "./infra/db/create-database.ts";

/** Writes the events and the line of an operation, in its transaction. Both lock until the commit: call it last. */
export async function appendOperation(tx: Transaction, operation: Operation): Promise<void> {
  for (const event of eventsOfOperation(operation)) await publishEvent(tx, event);
  await appendLine(tx, operation);
}
