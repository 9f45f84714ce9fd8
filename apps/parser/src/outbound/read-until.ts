/** The same bytes; once `signal` has aborted, every failure is the reason of the abort, whatever the connection says. */
export async function* readUntil(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
