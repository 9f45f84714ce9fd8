import { eq } from "drizzle-orm";
import type { Operation } from "../../http/route-binding.ts";
import type { Transaction } from "../../infra/db/create-database.ts";
import { emptyHash, hashLine, type LogLine } from "./hash-line.ts";
import { operationLogHeads, operationLogs } from "./tables.ts";

/** The chain of operations outside tenants. */
export const platformChain = "platform";

/**
 * Appends one line to the chain of the operation's tenant, in the transaction of the operation, so that neither is without the
 * other. It locks the end of the chain until the commit: call it last.
 */
export async function appendOperation(tx: Transaction, operation: Operation): Promise<void> {
  const chain = operation.tenantId ?? platformChain;
  await tx.insert(operationLogHeads).values({ chain, seq: 0, hash: emptyHash }).onConflictDoNothing();
  const [head] = await tx.select().from(operationLogHeads).where(eq(operationLogHeads.chain, chain)).for("update");
  if (head === undefined) throw new Error(`The chain ${chain} has no end.`);
  const line: LogLine = {
    chain,
    seq: head.seq + 1,
    at: new Date(),
    userId: operation.userId ?? null,
    actor: operation.actor,
    credentialId: operation.credentialId ?? null,
    action: operation.action,
    resourceKind: operation.resourceKind ?? null,
    resourceId: operation.resourceId ?? null,
    outcome: operation.outcome,
    reason: operation.reason ?? null,
    details: operation.details ?? null,
    ip: operation.ip,
    requestId: operation.requestId,
  };
  const hash = hashLine(head.hash, line);
  await tx.insert(operationLogs).values({ ...line, hash });
  await tx.update(operationLogHeads).set({ seq: line.seq, hash }).where(eq(operationLogHeads.chain, chain));
}
