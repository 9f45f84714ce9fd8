import { decodeHead, decodePrefix, type Frame, maxHeadBytes, prefixBytes } from "./frame.ts";

/** Puts the frames of a worker together from whatever pieces arrive. */
export interface FrameReader {
  /**
   * The frames that this chunk completes.
   * @throws Error when the bytes are not what a worker of ours sends; the reader must not be used after that.
   */
  push(chunk: Buffer): Frame[];
}

/** Memory is taken only as announced by a prefix within bounds: at most one head and one body at a time. */
export function createFrameReader(maxBodyBytes: number): FrameReader {
  let stage: Stage = { name: "prefix", target: Buffer.alloc(prefixBytes), filled: 0 };
  let bodyBytes = 0;
  let head: unknown;

  const advance = (): Frame | undefined => {
    if (stage.name === "prefix") {
      const sizes = decodePrefix(stage.target);
      if (sizes.headBytes > maxHeadBytes) throw new Error(`head of ${sizes.headBytes} bytes`);
      if (sizes.bodyBytes > maxBodyBytes) throw new Error(`body of ${sizes.bodyBytes} bytes`);
      bodyBytes = sizes.bodyBytes;
      stage = newStage("head", sizes.headBytes);
      return undefined;
    }
    if (stage.name === "head") {
      head = decodeHead(stage.target);
      stage = newStage("body", bodyBytes);
      return undefined;
    }
    const frame = { head, body: stage.target };
    stage = newStage("prefix", prefixBytes);
    return frame;
  };

  return {
    push: (chunk) => {
      const frames: Frame[] = [];
      let rest = chunk;
      while (rest.length > 0 || (stage.name !== "prefix" && stage.target.length === 0)) {
        rest = fill(stage, rest);
        if (stage.filled < stage.target.length) continue;
        const frame = advance();
        if (frame !== undefined) frames.push(frame);
      }
      return frames;
    },
  };
}

interface Stage {
  readonly name: "prefix" | "head" | "body";
  readonly target: Buffer;
  filled: number;
}

const newStage = (name: Stage["name"], size: number): Stage => ({
  name,
  target: Buffer.allocUnsafeSlow(size),
  filled: 0,
});

function fill(stage: Stage, chunk: Buffer): Buffer {
  const count = Math.min(chunk.length, stage.target.length - stage.filled);
  chunk.copy(stage.target, stage.filled, 0, count);
  stage.filled += count;
  return chunk.subarray(count);
}
