/** One entry of `errors` in an answer of slurmrestd. */
export interface SlurmFault {
  /** Of slurm_errno.h; -1 is unspecified. */
  readonly number: number;
  readonly text: string;
}

export function readSlurmErrors(json: unknown): readonly SlurmFault[] {
  const { errors } = (typeof json === "object" && json !== null ? json : {}) as { errors?: unknown };
  if (!Array.isArray(errors)) return [];
  return errors.filter((entry) => typeof entry === "object" && entry !== null).map((entry) => toFault(entry as Entry));
}

interface Entry {
  readonly error?: unknown;
  readonly description?: unknown;
  readonly error_number?: unknown;
  /** Instead of `error_number` in some answers of v0.0.38. */
  readonly error_code?: unknown;
}

function toFault({ error, description, error_number: number, error_code: code }: Entry): SlurmFault {
  const given = [number, code].find((value) => typeof value === "number");
  const words = [description, error].filter((word) => typeof word === "string" && word !== "");
  return { number: typeof given === "number" ? given : -1, text: [...new Set(words)].join(": ").slice(0, 500) };
}

const invalidJobId = 2017;
const alreadyDone = 2021;
const cannotBeAltered = 2020;
const partitionNotAvailable = 2015;
const nodeNotAvailable = 2068;
/** Protocol authentication, permission, user id, credential. */
const denied = new Set([1007, 2002, 2010, 6000]);
// Of connections to slurmctld (1001–1004, 1800–1803, 5000–5999), and -1, which 22.05 gives for those and for expired tokens.
const isConnection = (number: number): boolean =>
  (number >= 1001 && number <= 1004) || (number >= 1800 && number <= 1803) || (number >= 5000 && number <= 5999);

export const slurmFaults = {
  isUnreachable: ({ number, text }: SlurmFault): boolean =>
    isConnection(number) || (number === -1 && /unspecified error|unable to contact|connection/i.test(text)),
  isDenied: ({ number, text }: SlurmFault): boolean =>
    denied.has(number) || /authentication|access\/permission denied/i.test(text),
  isUnknownJob: ({ number, text }: SlurmFault): boolean => number === invalidJobId || /invalid job id/i.test(text),
  isEndedJob: ({ number, text }: SlurmFault): boolean =>
    number === alreadyDone || /already (completed|completing|finished)/i.test(text),
  isNotRunning: ({ number }: SlurmFault): boolean => number === cannotBeAltered,
  /** All machines that could take a job are down: 22.05 then refuses it instead of letting it wait. */
  isNotReady: ({ number }: SlurmFault): boolean => number === nodeNotAvailable || number === partitionNotAvailable,
};
