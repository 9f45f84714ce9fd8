import type { Gpu } from "../device-provider.ts";
import { blankGpu } from "../sampling/blank-gpu.ts";
import type { SmiField, SmiKey } from "./smi-fields.ts";

export interface SmiRow {
  readonly gpu: Gpu;
  readonly driver: string | null;
  readonly busId: string | null;
}

type Cells = ReadonlyMap<SmiKey, string>;

/** One line of `--query-gpu` in CSV without header and units; undefined when it is none. */
export function parseSmiRow(line: string, fields: readonly SmiField[]): SmiRow | undefined {
  const split = splitCsv(line);
  if (split.length < fields.length) return undefined;
  // A name with commas is the last field.
  const texts = [...split.slice(0, fields.length - 1), split.slice(fields.length - 1).join(", ")];
  const cells: Cells = new Map(fields.map(({ key }, place) => [key, texts[place] ?? ""]));
  const index = readNumber(cells.get("index"), { max: 100_000 });
  const uuid = cells.get("uuid") ?? "";
  if (index === null || !Number.isInteger(index) || !/^(?:GPU|MIG)-/.test(uuid)) return undefined;
  const known = { index, uuid, name: readText(cells.get("name")) ?? "GPU of unknown name" };
  return {
    gpu: { ...blankGpu(known, faultOf(cells)), ...figuresOf(cells) },
    driver: readText(cells.get("driver")),
    busId: readText(cells.get("busId")),
  };
}

const percent = { max: 100 };
const megabytes = { max: 100_000_000 };

function figuresOf(cells: Cells): Partial<Gpu> {
  const number = (key: SmiKey, limits: Limits): number | null => readNumber(cells.get(key), limits);
  return {
    memoryTotalMb: number("memoryTotal", megabytes),
    memoryUsedMb: number("memoryUsed", megabytes),
    memoryFreeMb: number("memoryFree", megabytes),
    utilisationPercent: number("utilisation", percent),
    memoryUtilisationPercent: number("memoryUtilisation", percent),
    temperatureC: number("temperature", { min: -273, max: 1000 }),
    powerW: number("power", { max: 100_000 }),
    powerLimitW: number("powerLimit", { max: 100_000 }),
    smClockMhz: number("smClock", { max: 100_000 }),
    memoryClockMhz: number("memoryClock", { max: 100_000 }),
    // Some fans turn faster than they were built for.
    fanPercent: number("fan", { max: 1000 }),
    performanceState: readText(cells.get("performanceState")),
    eccUncorrected: number("ecc", { max: Number.MAX_SAFE_INTEGER }),
    migMode: readText(cells.get("mig")),
  };
}

/** A GPU whose memory the driver fails to read cannot be used; one that merely has no such figure can. */
function faultOf(cells: Cells): string | null {
  const errors = [cells.get("memoryTotal"), cells.get("memoryUsed")].filter((cell) => cell !== undefined);
  const error = errors.find((cell) => isOdd(cell) && !isAbsent(cell));
  if (error === undefined) return null;
  const told = error.replace(/^\[|\]$/g, "");
  return `The driver says: ${told}. Look at the kernel's log for Xid messages, and restart the machine.`;
}

const absent = /^\[?\s*(?:n\/a|not supported|insufficient permissions|not found|not available|unknown|-)?\s*\]?$/i;
const isAbsent = (cell: string): boolean => absent.test(cell);
const isOdd = (cell: string): boolean => !numeric.test(cell);
const numeric = /^(-?\d+(?:\.\d+)?)(?: ?(?:MiB|MHz|W|C|%))?$/;

interface Limits {
  readonly min?: number;
  readonly max: number;
}

/** Null for what is no number, and for one that cannot be. */
export function readNumber(cell: string | undefined, { min = 0, max }: Limits): number | null {
  const digits = numeric.exec(cell ?? "")?.[1];
  if (digits === undefined) return null;
  const value = Number(digits);
  return value >= min && value <= max ? value : null;
}

function readText(cell: string | undefined): string | null {
  if (cell === undefined || isAbsent(cell) || /^\[.*\]$|^ERR!$/.test(cell)) return null;
  return cell;
}

/** Cells of a line, without the white space around them; those in quotes as they are meant. */
export function splitCsv(line: string): string[] {
  const cells: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let place = 0; place < line.length; place += 1) {
    if (line[place] === '"') isQuoted = !isQuoted;
    if (line[place] !== "," || isQuoted) continue;
    cells.push(line.slice(start, place));
    start = place + 1;
  }
  return [...cells, line.slice(start)].map((cell) => unquote(cell.trim()));
}

const unquote = (cell: string): string =>
  cell.length > 1 && cell.startsWith('"') && cell.endsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
