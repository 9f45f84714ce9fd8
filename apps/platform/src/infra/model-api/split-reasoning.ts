/** A piece of what a model wrote, told apart. */
export type ReasoningPiece =
  | { readonly type: "content" | "reasoning"; readonly text: string }
  | { readonly type: "content_was_reasoning" };

export interface ReasoningSplitter {
  push(text: string): ReasoningPiece[];
  /** What was held back because it could have been the beginning of a tag. */
  end(): ReasoningPiece[];
  /** The API tells reasoning apart itself: from now on all text is content. */
  stop(): ReasoningPiece[];
}

const opening = "<think>";
const closing = "</think>";
// Models whose prompt already opened the block write only its end, on a line of its own.
const lineClosing = "\n</think>";

type Phase = "start" | "reasoning" | "gap" | "content" | "plain";

/**
 * Tells a `<think>` block at the beginning of a text from the answer after it, in pieces cut anywhere. Tags further on are
 * text like any other, but for a `</think>` on a line of its own when no block was opened.
 */
export function createReasoningSplitter(): ReasoningSplitter {
  let phase: Phase = "start";
  let held = "";
  return {
    push: (text) => {
      held += text;
      const pieces: ReasoningPiece[] = [];
      while (held !== "") {
        const moved = steps[phase](held);
        const isStill = moved.phase === phase;
        phase = moved.phase;
        held = moved.rest;
        pieces.push(...moved.pieces);
        if (isStill) break;
      }
      return pieces;
    },
    end: () => {
      const isClosing = phase === "content" && /^\n<\/think>[ \t]*$/.test(held);
      const type = phase === "reasoning" ? "reasoning" : "content";
      const rest: ReasoningPiece[] = isClosing ? [{ type: "content_was_reasoning" }] : textOf(type, held);
      held = "";
      return rest;
    },
    stop: () => {
      phase = "plain";
      const rest = textOf("content", held);
      held = "";
      return rest;
    },
  };
}

const textOf = (type: "content" | "reasoning", text: string): ReasoningPiece[] => (text === "" ? [] : [{ type, text }]);

interface Moved {
  readonly phase: Phase;
  readonly pieces: readonly ReasoningPiece[];
  /** What is held back until more has come. */
  readonly rest: string;
}

const steps: Readonly<Record<Phase, (held: string) => Moved>> = {
  start: (held) => {
    const text = held.trimStart();
    if (text.startsWith(opening)) return { phase: "reasoning", pieces: [], rest: text.slice(opening.length) };
    if (text.startsWith(closing)) {
      return { phase: "gap", pieces: [{ type: "content_was_reasoning" }], rest: text.slice(closing.length) };
    }
    const isUndecided = opening.startsWith(text) || closing.startsWith(text);
    return { phase: isUndecided ? "start" : "content", pieces: [], rest: held };
  },
  reasoning: (held) => {
    const at = held.indexOf(closing);
    if (at < 0) return emit("reasoning", held, partialTail(held, closing));
    return { phase: "gap", pieces: textOf("reasoning", held.slice(0, at)), rest: held.slice(at + closing.length) };
  },
  gap: (held) => {
    const rest = held.trimStart();
    return { phase: rest === "" ? "gap" : "plain", pieces: [], rest };
  },
  content: (held) => {
    const at = held.search(/\n<\/think>[ \t]*\n/);
    if (at < 0) return emit("content", held, lineTail(held));
    const pieces = [...textOf("content", held.slice(0, at)), { type: "content_was_reasoning" as const }];
    return { phase: "gap", pieces, rest: held.slice(at + lineClosing.length) };
  },
  plain: (held) => emit("plain", held, 0),
};

/** All of it, but for `kept` characters at its end that could be the beginning of a tag. */
function emit(phase: "content" | "reasoning" | "plain", held: string, kept: number): Moved {
  const at = held.length - kept;
  return { phase, pieces: textOf(phase === "plain" ? "content" : phase, held.slice(0, at)), rest: held.slice(at) };
}

// The tag may be complete but its line not yet ended.
function lineTail(held: string): number {
  const complete = /\n<\/think>[ \t]*$/.exec(held);
  return complete === null ? partialTail(held, lineClosing) : held.length - complete.index;
}

function partialTail(held: string, tag: string): number {
  const longest = Math.min(held.length, tag.length - 1);
  for (let length = longest; length > 0; length--) if (held.endsWith(tag.slice(0, length))) return length;
  return 0;
}
