interface EventFrame {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  /** As it is sent; it must hold no line break. */
  readonly text: string;
}

/** One frame of server-sent events. */
export function renderEvent({ event, id, text }: EventFrame): Buffer {
  const lines = [event === undefined ? [] : `event: ${event}`, id === undefined ? [] : `id: ${id}`, `data: ${text}`];
  return Buffer.from(`${lines.flat().join("\n")}\n\n`);
}
