export interface Frame {
  readonly event: string | undefined;
  readonly data: string;
}

/** Frames of server-sent events, as they come; comments are left out. */
export async function* readFrames(response: Response): AsyncGenerator<Frame> {
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data !== undefined) yield { event: /^event: (.*)$/m.exec(part)?.[1], data };
    }
  }
}
