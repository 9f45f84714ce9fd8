import type { CacheProgress, CacheStage } from "@attune/contracts/compute/cache-api.ts";

/** Counts what is done, for whoever asks. */
export interface ProgressMeter {
  stage(stage: CacheStage): void;
  /** What there is to do, once it is known. */
  total(bytes: number, files: number): void;
  readonly bytes: (count: number) => void;
  /** Bytes that were there from an attempt before. */
  resumed(count: number): void;
  fileDone(): void;
  retry(): void;
  read(): CacheProgress;
}

/** The rate is measured over so long. */
const windowMs = 5_000;
const sampleMs = 500;

export function createProgressMeter(first: CacheStage, nowMs: () => number = () => performance.now()): ProgressMeter {
  const state = {
    stage: first,
    bytesDone: 0,
    bytesTotal: null as number | null,
    filesDone: 0,
    filesTotal: null as number | null,
    resumedBytes: 0,
    retries: 0,
  };
  const samples: { readonly atMs: number; readonly bytes: number }[] = [];
  let movedBytes = 0;
  const sample = () => {
    const atMs = nowMs();
    if (atMs - (samples.at(-1)?.atMs ?? -Infinity) < sampleMs) return;
    samples.push({ atMs, bytes: movedBytes });
    while (samples.length > 2 && atMs - (samples[0]?.atMs ?? atMs) > windowMs) samples.shift();
  };
  const rate = (): number | null => {
    const [oldest] = samples;
    const spanMs = nowMs() - (oldest?.atMs ?? Infinity);
    return oldest === undefined || spanMs < sampleMs ? null : ((movedBytes - oldest.bytes) * 1000) / spanMs;
  };
  return {
    stage: (stage) => void (state.stage = stage),
    total: (bytes, files) => Object.assign(state, { bytesTotal: bytes, filesTotal: files }),
    bytes: (count) => {
      state.bytesDone += count;
      movedBytes += Math.max(0, count);
      sample();
    },
    resumed: (count) => {
      state.bytesDone += count;
      state.resumedBytes += count;
    },
    fileDone: () => void state.filesDone++,
    retry: () => void state.retries++,
    read: () => ({
      stage: state.stage,
      bytes_done: Math.max(0, state.bytesDone),
      bytes_total: state.bytesTotal,
      files_done: state.filesDone,
      files_total: state.filesTotal,
      bytes_per_second: rate(),
      resumed_bytes: Math.max(0, state.resumedBytes),
      retries: state.retries,
    }),
  };
}
