/**
 * Calls `stop` once at the first SIGTERM or SIGINT and ends the process with status 0 when it is done, or with status 1 when
 * it fails. A second signal ends the process at once.
 */
export function onShutdown(stop: (signal: NodeJS.Signals) => Promise<void>): void {
  let isStopping = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(130);
    isStopping = true;
    stop(signal).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", handle);
  process.on("SIGINT", handle);
}
