import { AppError, type Reason } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import type { Transaction } from "../../infra/db/create-database.ts";
import { defineJobKind, type JobRow, listOutcomes, type NewItem } from "../jobs/index.ts";
import type { StorageDeps } from "./service.ts";
import { keptFaults, keepVerification } from "./verification-repo.ts";
import {
  cutRanges,
  findUnknown,
  type IdRange,
  type StorageFault,
  type StorageFaultKind,
  type Verified,
  verifyInline,
  verifyObjects,
} from "./verify-storage.ts";

const rangeSize = 200;
const range = { after: z.uuid().optional(), until: z.uuid().optional() };
const partSchema = z.discriminatedUnion("part", [
  z.strictObject({ part: z.literal("plan") }),
  z.strictObject({ part: z.literal("objects"), ...range }),
  z.strictObject({ part: z.literal("inline"), ...range }),
  z.strictObject({ part: z.literal("unknown") }),
]);
type Part = z.infer<typeof partSchema>;

/** What a part that was verified tells. */
const resultSchema = z.strictObject({
  objects: z.int(),
  inline: z.int(),
  size_bytes: z.int(),
  fault_count: z.int(),
  /** The first of them. */
  faults: z.array(
    z.strictObject({
      kind: z.enum(["missing", "damaged", "unreadable", "unknown"]),
      subject: z.string(),
      owner: z.string().optional(),
      detail: z.string().optional(),
    }),
  ),
});
type PartResult = z.infer<typeof resultSchema>;

type VerifyDeps = Pick<StorageDeps, "database" | "stores">;

export const planItem: NewItem<Part> = { subject: "plan", input: { part: "plan" } };

/**
 * Reads all that is stored, in parts of 200 objects or files, so that what a crash interrupts goes on where it was. A part with
 * faults fails, with each fault; retrying it verifies that part again.
 */
export function createStorageVerification(deps: VerifyDeps) {
  return defineJobKind({
    name: "verify_storage",
    params: z.strictObject({}),
    input: partSchema,
    itemsAtOnce: 2,
    retries: { reasons: ["STORAGE_UNAVAILABLE"], maxAttempts: 5, firstDelayMs: 2000 },
    run: async ({ input, signal }) => {
      if (input.part === "plan") return { items: await plan(deps) };
      const result = await verifyPart(deps, input, signal);
      return { result, ...(result.fault_count > 0 && { failure: toFailure(result) }) };
    },
    whenEnded: keepOutcome,
  });
}

async function plan({ database }: VerifyDeps): Promise<NewItem<Part>[]> {
  const { objects, inline } = await cutRanges(database, rangeSize);
  const toItems = (part: "objects" | "inline", ranges: readonly IdRange[], what: string): NewItem<Part>[] =>
    ranges.map(({ after, until }, index) => ({
      subject: `${what} from ${index * rangeSize + 1} on`,
      input: { part, ...(after !== undefined && { after }), ...(until !== undefined && { until }) },
    }));
  return [
    ...toItems("objects", objects, "objects"),
    ...toItems("inline", inline, "files in the database"),
    { subject: "objects that no record knows", input: { part: "unknown" } },
  ];
}

async function verifyPart(
  deps: VerifyDeps,
  part: Exclude<Part, { part: "plan" }>,
  signal: AbortSignal,
): Promise<PartResult> {
  const result: PartResult = { objects: 0, inline: 0, size_bytes: 0, fault_count: 0, faults: [] };
  const note = (fault: StorageFault): void => {
    result.fault_count++;
    if (result.faults.length < rangeSize) result.faults.push(fault);
  };
  if (part.part === "unknown") {
    for await (const fault of findUnknown(deps, signal)) note(fault);
    return result;
  }
  const isInline = part.part === "inline";
  const verified: AsyncIterable<Verified> = isInline
    ? verifyInline(deps, part, signal)
    : verifyObjects(deps, part, signal);
  for await (const { sizeBytes, fault } of verified) {
    result[isInline ? "inline" : "objects"]++;
    result.size_bytes += sizeBytes;
    if (fault !== undefined) note(fault);
  }
  return result;
}

/** The gravest first: what is lost, what may come back, what is too much. */
const reasonOf: Readonly<Record<StorageFaultKind, Reason>> = {
  damaged: "STORAGE_OBJECT_DAMAGED",
  missing: "STORAGE_OBJECT_NOT_FOUND",
  unreadable: "STORAGE_UNAVAILABLE",
  unknown: "STORAGE_OBJECT_UNKNOWN",
};

function toFailure({ fault_count: count, faults }: PartResult): AppError {
  const kinds = (Object.keys(reasonOf) as StorageFaultKind[]).filter((kind) => faults.some((one) => one.kind === kind));
  const counts = kinds.map((kind) => `${faults.filter((fault) => fault.kind === kind).length} ${kind}`);
  const more = count > faults.length ? `, and ${count - faults.length} more that are not listed` : "";
  const violations = faults.map(({ kind, subject, owner, detail }) => ({
    pointer: subject,
    message: [kind, owner && `of ${owner}`, detail].filter(Boolean).join("; "),
  }));
  return new AppError(reasonOf[kinds[0] ?? "unreadable"], { detail: `${counts.join(", ")}${more}.`, violations });
}

/** For the health of the platform, which tells the last verification however it was begun. */
async function keepOutcome(tx: Transaction, { id, state, startedAt, createdAt }: JobRow): Promise<void> {
  const sums = { objectCount: 0, inlineCount: 0, sizeBytes: 0, faultCount: 0 };
  const faults: StorageFault[] = [];
  let failure = state === "cancelled" ? "It was cancelled." : undefined;
  for await (const { itemNo, state: itemState, result, reason, detail } of listOutcomes(tx, id)) {
    const read = resultSchema.safeParse(result);
    if (!read.success) {
      if (itemState === "failed") failure ??= `Part ${itemNo}: ${reason}. ${detail}`;
      continue;
    }
    sums.objectCount += read.data.objects;
    sums.inlineCount += read.data.inline;
    sums.sizeBytes += read.data.size_bytes;
    sums.faultCount += read.data.fault_count;
    faults.push(...(read.data.faults as StorageFault[]).slice(0, keptFaults - faults.length));
  }
  await keepVerification(tx, { id, startedAt: startedAt ?? createdAt, ...sums, faults, failure: failure ?? null });
}
