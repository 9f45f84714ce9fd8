/** Exit status of a program that a signal ended, as shells tell it. */
const statusOf: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143 };

export interface ShutdownOptions {
  /** Whether a signal is the usual end, as it is of a service, and the status therefore 0. */
  readonly isUsualEnd: boolean;
}

/**
 * Calls `stop` once at the first SIGTERM or SIGINT and then ends the process: with status 0 where that is the usual end, else
 * with 128 and the signal's number; with status 1 and the error on standard error when `stop` fails. A second signal ends
 * the process at once.
 */
export function onShutdown(stop: (signal: NodeJS.Signals) => Promise<void>, { isUsualEnd }: ShutdownOptions): void {
  let isStopping = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(statusOf[signal] ?? 1);
    isStopping = true;
    stop(signal).then(
      () => process.exit(isUsualEnd ? 0 : (statusOf[signal] ?? 1)),
      (error: unknown) => {
        process.stderr.write(`The shutdown failed: ${error instanceof Error ? error.stack : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", handle);
  process.on("SIGINT", handle);
}
