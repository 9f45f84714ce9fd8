import type { GpuRequest } from "@attune/contracts/compute/run-record.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeGpu } from "./devices.fixture.ts";
import { type GpuFields, normaliseGpuRequest } from "./normalise-gpu-request.ts";

const inventoryArb = fc
  .integer({ min: 0, max: 9 })
  .map((count) => Array.from({ length: count }, (_, index) => makeGpu(index)));
const entryArb = fc.oneof(
  fc.nat(9),
  fc.nat(9).map(String),
  fc.nat(9).map((index) => ` ${index}`),
  fc.nat(9).map((index) => makeGpu(index).uuid),
);
const oddArb = fc.oneof(
  fc.anything(),
  fc.double(),
  fc.constantFrom("1e0", "-1", "all", "none", "cpu", "0,1", "", ",", "1.0", "٣", -1, 0, -0, 64, 65, 2 ** 53),
  fc.array(fc.oneof(entryArb, fc.anything()), { maxLength: 70 }),
  fc.record(
    { count: fc.oneof(fc.nat(70), fc.anything()), min_memory_mb: fc.anything(), name: fc.anything() },
    { requiredKeys: [] },
  ),
);
const fieldsArb: fc.Arbitrary<GpuFields> = fc.record(
  { gpu_indices: oddArb, gpus: oddArb, gpu_id: oddArb },
  { requiredKeys: [] },
);

function attempt(fields: GpuFields, inventory: Parameters<typeof normaliseGpuRequest>[1]): GpuRequest | AppError {
  try {
    return normaliseGpuRequest(fields, inventory);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function isWellFormed(made: GpuRequest | AppError, inventory: Parameters<typeof normaliseGpuRequest>[1]): boolean {
  if (made instanceof AppError) return made.reason === "GPU_REQUEST_INVALID" || made.reason === "GPU_NOT_FOUND";
  if (made.mode === "cpu") return true;
  if (made.mode === "count") return made.count > 0 && made.count <= inventory.length;
  const { indices } = made;
  const isRising = indices.every((index, place) => place === 0 || index > (indices[place - 1] ?? Infinity));
  const isKnown = indices.every((index) => inventory.some((gpu) => Object.is(gpu.index, index)));
  return indices.length > 0 && isRising && isKnown;
}

/** The fields that say the same as a request, in the way that is nearest to it. */
function toFields(request: GpuRequest): GpuFields {
  if (request.mode === "cpu") return { gpus: "none" };
  if (request.mode === "explicit") return { gpu_indices: request.indices };
  const { count, minMemoryMb, name } = request;
  return {
    gpus: {
      count,
      ...(minMemoryMb !== undefined && { min_memory_mb: minMemoryMb }),
      ...(name !== undefined && { name }),
    },
  };
}

describe("normaliseGpuRequest, of anything", () => {
  it("gives a request of the one form or a refusal with its reason", () => {
    fc.assert(
      fc.property(fieldsArb, inventoryArb, (fields, inventory) => {
        expect(attempt(fields, inventory)).toSatisfy((made: GpuRequest | AppError) => isWellFormed(made, inventory));
      }),
      { numRuns: 2000 },
    );
  });

  it("gives the same again for what it gave", () => {
    fc.assert(
      fc.property(fieldsArb, inventoryArb, (fields, inventory) => {
        const request = attempt(fields, inventory);
        const again = request instanceof AppError ? request : attempt(toFields(request), inventory);
        expect(again).toEqual(request);
      }),
      { numRuns: 2000 },
    );
  });

  it("is the same for any order, any repetition and any way of naming", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), entryArb), { minLength: 1, maxLength: 20 }), (entries) => {
        const inventory = Array.from({ length: 10 }, (_, index) => makeGpu(index));
        const plain = entries.map(([index]) => index);
        const expected = { mode: "explicit", indices: [...new Set(plain)].toSorted((a, b) => a - b) };
        const named = plain.map((index, place) => (place % 2 === 0 ? String(index) : makeGpu(index).uuid));
        expect(normaliseGpuRequest({ gpu_indices: named.toReversed() }, inventory)).toEqual(expected);
        expect(normaliseGpuRequest({ gpus: named }, inventory)).toEqual(expected);
        expect(normaliseGpuRequest({ gpu_indices: named.join(" , ") }, inventory)).toEqual(expected);
      }),
    );
  });

  it("takes several fields only when each of them would do and all mean the same", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(3), { maxLength: 4 }),
        fc.array(fc.nat(3), { maxLength: 4 }),
        fc.integer({ min: -1, max: 3 }),
        (a, b, id) => {
          const inventory = Array.from({ length: 4 }, (_, index) => makeGpu(index));
          const parts = [{ gpu_indices: a }, { gpus: b }, { gpu_id: id }].map((fields) =>
            normaliseGpuRequest(fields, inventory),
          );
          const isSame = parts.every((part) => JSON.stringify(part) === JSON.stringify(parts[0]));
          const together = attempt({ gpu_indices: a, gpus: b, gpu_id: id }, inventory);
          expect(together instanceof AppError ? together.reason : together).toEqual(
            isSame ? parts[0] : "GPU_REQUEST_INVALID",
          );
        },
      ),
      { numRuns: 1000 },
    );
  });
});
