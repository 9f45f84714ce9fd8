import { and, asc, eq, gt } from "drizzle-orm";
import type { Queries } from "../../infra/db/create-database.ts";
import { emptyHash, hashLine } from "./hash-line.ts";
import { operationLogHeads, operationLogs } from "./tables.ts";

export interface VerifiedChain {
  readonly chain: string;
  readonly lines: number;
  /** Hash of the last line, hexadecimal: kept elsewhere, it proves later that nothing before it was changed. */
  readonly hash: string;
  /** What is wrong with the first line that is, or with the end of the chain. */
  readonly fault?: string;
}

const pageLength = 1000;

/** Reads every chain of the operation log and computes every hash anew. */
export async function* verifyLog(queries: Queries): AsyncGenerator<VerifiedChain> {
  for (const head of await queries.select().from(operationLogHeads).orderBy(asc(operationLogHeads.chain))) {
    const { lines, hash, fault } = await verifyChain(queries, head.chain);
    const isWhole = lines >= head.seq && (lines > head.seq || hash.equals(head.hash));
    const lost = isWhole ? undefined : `it ends at line ${lines}, and its end says ${head.seq}`;
    const told = fault ?? lost;
    yield { chain: head.chain, lines, hash: hash.toString("hex"), ...(told !== undefined && { fault: told }) };
  }
}

async function verifyChain(queries: Queries, chain: string) {
  let hash: Buffer = emptyHash;
  for (let lines = 0; ;) {
    const page = await queries
      .select()
      .from(operationLogs)
      .where(and(eq(operationLogs.chain, chain), gt(operationLogs.seq, lines)))
      .orderBy(asc(operationLogs.seq))
      .limit(pageLength);
    for (const { hash: stored, ...line } of page) {
      if (line.seq !== lines + 1) return { lines, hash, fault: `line ${lines + 1} is missing` };
      hash = hashLine(hash, line);
      if (!hash.equals(stored))
        return { lines, hash, fault: `line ${line.seq} is not what it was when it was written` };
      lines++;
    }
    if (page.length < pageLength) return { lines, hash, fault: undefined };
  }
}
