/**
 * The same bytes, with `close` called exactly once: at the end, at a failure, and also when the reader leaves before it
 * asked for anything, where a generator alone would run none of its cleaning up.
 */
export function closeWith(
  stream: AsyncIterable<Uint8Array>,
  close: () => void | Promise<void>,
): AsyncIterable<Uint8Array> {
  let isClosed = false;
  const closeOnce = async () => {
    if (isClosed) return;
    isClosed = true;
    await close();
  };
  const open = (): AsyncIterator<Uint8Array, void> => {
    const iterator: AsyncIterator<Uint8Array, unknown> = stream[Symbol.asyncIterator]();
    return {
      next: async () => {
        try {
          const result = await iterator.next();
          if (result.done !== true) return result;
        } catch (error) {
          await closeOnce();
          throw error;
        }
        await closeOnce();
        return { done: true, value: undefined };
      },
      return: async () => {
        await closeOnce();
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    };
  };
  return { [Symbol.asyncIterator]: open };
}
