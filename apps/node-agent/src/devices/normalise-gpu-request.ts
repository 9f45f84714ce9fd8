import type { GpuRequest } from "@attune/contracts/compute/run-record.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import { findGpus, type GpuWish, type KnownGpu, tellGpus } from "./find-gpus.ts";

/** The fields of a request, checked by nobody yet; undefined and null are not given. */
export interface GpuFields {
  readonly gpu_indices?: unknown;
  readonly gpus?: unknown;
  readonly gpu_id?: unknown;
}

/** The most GPUs that one request may name. */
export const maxGpus = 64;

const cpu: GpuRequest = { mode: "cpu" };

/**
 * The one form of the three ways in which GPUs are asked for. Nothing given: one GPU where there is one, else the CPU. Indices
 * come out in rising order and once each. Several fields may be given when they mean the same; a plain count agrees with as
 * many named GPUs.
 * @throws AppError GPU_REQUEST_INVALID when there is no single meaning; GPU_NOT_FOUND when the node has no such GPUs.
 */
export function normaliseGpuRequest(fields: GpuFields, inventory: readonly KnownGpu[]): GpuRequest {
  const given = [
    { field: "gpu_indices", value: fields.gpu_indices, read: readIndices },
    { field: "gpus", value: fields.gpus, read: readGpus },
    { field: "gpu_id", value: fields.gpu_id, read: readId },
  ]
    .filter(({ value }) => value !== undefined && value !== null)
    .map(({ field, value, read }) => ({ field, request: read({ field, value, inventory }) }));
  const [first, ...others] = given;
  if (first === undefined) return inventory.length > 0 ? { mode: "count", count: 1 } : cpu;
  let { request } = first;
  for (const other of others) {
    const agreed = agree(request, other.request);
    if (agreed === undefined) {
      const told = `${first.field} asks for ${tell(request)}, ${other.field} for ${tell(other.request)}.`;
      throw new AppError("GPU_REQUEST_INVALID", { detail: told });
    }
    request = agreed;
  }
  return request;
}

interface Given {
  readonly field: string;
  readonly value: unknown;
  readonly inventory: readonly KnownGpu[];
}

function readIndices(given: Given): GpuRequest {
  const { value } = given;
  if (Array.isArray(value)) return readList(given, value);
  if (typeof value !== "string") throw invalid(given, "must be a list of indices or UUIDs");
  return readWord(given, value) ?? readList(given, value.split(","));
}

function readGpus(given: Given): GpuRequest {
  const { value } = given;
  if (typeof value === "number") return readCount(given, { count: value });
  if (Array.isArray(value)) return readList(given, value);
  if (typeof value === "object" && value !== null) return readCount(given, value);
  if (typeof value !== "string") throw invalid(given, "must be a count, a list, an object with count, all or none");
  const request = readWord(given, value);
  if (request !== undefined) return request;
  if (/^\s*\d+\s*$/.test(value))
    throw invalid(given, "as a text may be a count or an index; give a number or gpu_indices");
  return readList(given, value.split(","));
}

function readId(given: Given): GpuRequest {
  const { value } = given;
  if (value === -1) return cpu;
  if (typeof value === "string" && ["-1", "cpu"].includes(value.trim().toLowerCase())) return cpu;
  return toExplicit([value], given);
}

function readWord({ inventory }: Given, text: string): GpuRequest | undefined {
  const word = text.trim().toLowerCase();
  if (word === "none" || word === "cpu") return cpu;
  if (word !== "all") return undefined;
  if (inventory.length === 0) throw new AppError("GPU_NOT_FOUND", { detail: `Asked for: all. ${tellGpus(inventory)}` });
  return { mode: "explicit", indices: inventory.map(({ index }) => index).toSorted((a, b) => a - b) };
}

function readList(given: Given, entries: readonly unknown[]): GpuRequest {
  if (entries.length > maxGpus) throw invalid(given, `names more than ${maxGpus} GPUs`);
  return entries.length === 0 ? cpu : toExplicit(entries, given);
}

function toExplicit(entries: readonly unknown[], given: Given): GpuRequest {
  const indices = entries.map((entry) => readIndex(entry, given));
  return { mode: "explicit", indices: [...new Set(indices)].toSorted((a, b) => a - b) };
}

function readIndex(entry: unknown, given: Given): number {
  const { inventory } = given;
  const text = typeof entry === "string" ? entry.trim() : undefined;
  if (text !== undefined && /^(?:GPU|MIG)-[0-9a-f/-]{1,80}$/i.test(text)) {
    const gpu = inventory.find(({ uuid }) => uuid.toLowerCase() === text.toLowerCase());
    if (gpu === undefined) throw notFound(text, inventory);
    return gpu.index;
  }
  const number = text !== undefined && /^(?:0|[1-9]\d{0,5})$/.test(text) ? Number(text) : entry;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0)
    throw invalid(given, "must name GPUs by whole numbers from 0 or by UUID");
  // Of an index that is minus zero the node has 0.
  const gpu = inventory.find(({ index }) => index === number);
  if (gpu === undefined) throw notFound(String(number), inventory);
  return gpu.index;
}

const countForm = z.strictObject({
  count: z.int().min(0).max(maxGpus),
  min_memory_mb: z.int().min(0).optional(),
  name: z.string().trim().min(1).max(200).optional(),
});

function readCount(given: Given, value: object): GpuRequest {
  const parsed = countForm.safeParse(value);
  if (!parsed.success) {
    const what = `must count GPUs by a whole number from 0 to ${maxGpus}, with min_memory_mb and name at most`;
    throw invalid(given, `${what}: ${parsed.error.issues.map(({ message }) => message).join("; ")}`);
  }
  const { count, min_memory_mb: minMemoryMb, name } = parsed.data;
  if (count === 0) return cpu;
  const wish: GpuWish = {
    ...(minMemoryMb !== undefined && minMemoryMb > 0 && { minMemoryMb }),
    ...(name !== undefined && { name }),
  };
  if (findGpus(given.inventory, wish).length < count)
    throw notFound(tell({ mode: "count", count, ...wish }), given.inventory);
  return { mode: "count", count, ...wish };
}

/** @returns what both mean, the narrower one; undefined when they differ. */
function agree(one: GpuRequest, other: GpuRequest): GpuRequest | undefined {
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  const named = [one, other].find((request) => request.mode === "explicit");
  const counted = [one, other].find((request) => request.mode === "count");
  const isPlain = counted?.minMemoryMb === undefined && counted?.name === undefined;
  return isPlain && counted?.count === named?.indices.length ? named : undefined;
}

/** What is asked for, in words. */
function tell(request: GpuRequest): string {
  if (request.mode === "cpu") return "the CPU";
  if (request.mode === "explicit") return `GPU ${request.indices.join(", ")}`;
  const { count, name, minMemoryMb } = request;
  const named = name === undefined ? "" : ` named ${JSON.stringify(name)}`;
  return `${count} GPU(s)${named}${minMemoryMb === undefined ? "" : ` with ${minMemoryMb} MB`}`;
}

const invalid = ({ field }: Given, what: string): AppError =>
  new AppError("GPU_REQUEST_INVALID", { detail: `${field} ${what}.` });

const notFound = (what: string, inventory: readonly KnownGpu[]): AppError =>
  new AppError("GPU_NOT_FOUND", { detail: `Asked for: ${what}. ${tellGpus(inventory)}` });
