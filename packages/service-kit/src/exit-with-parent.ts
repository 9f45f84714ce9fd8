/**
 * Ends this process when the one that started it over an IPC channel is gone, however it went: calls `stop`, and ends when
 * that is done or `graceMs` have passed. Without an IPC channel it does nothing. Call it first of all, before what takes
 * time, since the parent may be gone by then.
 */
export function exitWithParent(stop: () => Promise<void>, graceMs = 5000): void {
  // Undefined without a channel; false when the parent was gone before anybody listened.
  const isConnected = process.connected as boolean | undefined;
  if (isConnected === undefined) return;
  const end = (): void => {
    setTimeout(() => process.exit(1), graceMs);
    // Nobody reads the output any more, and writing to it must not be what ends the process.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  if (isConnected) process.once("disconnect", end);
  else end();
}
