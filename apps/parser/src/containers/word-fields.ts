interface FieldFrame {
  instruction: string;
  isResult: boolean;
  kind: string;
  link: string | undefined;
  isLeftOut: boolean;
}

/** Fields inside one another that are told apart. */
const maxFields = 64;
/** Characters of an instruction that are looked at. */
const maxInstruction = 10_000;

/**
 * The complex fields open at a place of a story (ECMA-376 part 1 §17.16.18). What a field shows is its result; instructions,
 * and page numbers in a table of contents, are not text.
 */
export class FieldStack {
  readonly #frames: FieldFrame[] = [];
  readonly #leavesOut: (kind: string) => boolean;
  // Fields open beyond those that are kept.
  #deeper = 0;

  /** `leavesOut` is asked once for each field that has a result, by its kind (`DATE`). */
  constructor(leavesOut: (kind: string) => boolean = () => false) {
    this.#leavesOut = leavesOut;
  }

  begin(): void {
    if (this.#frames.length >= maxFields) this.#deeper++;
    else this.#frames.push({ instruction: "", isResult: false, kind: "", link: undefined, isLeftOut: false });
  }

  addInstruction(text: string): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined && !frame.isResult && frame.instruction.length < maxInstruction) frame.instruction += text;
  }

  /** Begins the result of the innermost field; returns its instruction. */
  separate(): string | undefined {
    if (this.#deeper > 0) return undefined;
    const frame = this.#frames.at(-1);
    if (frame === undefined || frame.isResult) return undefined;
    frame.isResult = true;
    frame.kind = kindOf(frame.instruction);
    frame.isLeftOut = this.#leavesOut(frame.kind);
    if (frame.kind === "HYPERLINK") frame.link = hyperlinkTarget(frame.instruction);
    return frame.instruction;
  }

  /** Ends the innermost field; returns its instruction when it had no result. */
  end(): string | undefined {
    if (this.#deeper > 0) {
      this.#deeper--;
      return undefined;
    }
    const frame = this.#frames.pop();
    return frame === undefined || frame.isResult ? undefined : frame.instruction;
  }

  /** Fields whose instruction goes on beyond a paragraph are damaged: nothing after them may be taken for instruction. */
  dropInstructions(): void {
    this.#deeper = 0;
    while (this.#frames.length > 0 && this.#frames.at(-1)?.isResult === false) this.#frames.pop();
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  get isInToc(): boolean {
    return this.#frames.some(({ kind }) => kind === "TOC");
  }

  get isVisible(): boolean {
    return this.#frames.every(
      ({ isResult, isLeftOut, kind }) => isResult && !isLeftOut && !(kind === "PAGEREF" && this.isInToc),
    );
  }

  /** Address of the innermost hyperlink field. */
  get link(): string | undefined {
    return this.#frames.findLast(({ link }) => link !== undefined)?.link;
  }
}

export function kindOf(instruction: string): string {
  return /^\s*(\S+)/.exec(instruction)?.[1]?.toUpperCase() ?? "";
}

// HYPERLINK "address" \l "place in it" \o "tip"; a place in this document is no address.
function hyperlinkTarget(instruction: string): string | undefined {
  const argument = /^\s*HYPERLINK\s+(?!\\)(?:"([^"]*)"|(\S+))/i.exec(instruction);
  const address = (argument?.[1] ?? argument?.[2] ?? "").replaceAll("\\\\", "\\");
  const place = /\\l\s+(?:"([^"]*)"|(\S+))/i.exec(instruction);
  if (address === "") return undefined;
  return place === null ? address : `${address}#${place[1] ?? place[2]}`;
}

/** The character that a field `SYMBOL 183 \f Symbol` shows, with its font. */
export function symbolOf(
  instruction: string,
): { readonly text: string; readonly font: string | undefined } | undefined {
  const parts = /^\s*SYMBOL\s+(0x[0-9a-f]{1,6}|\d{1,7})/i.exec(instruction);
  const code = Number(parts?.[1]);
  if (parts === null || !(code > 0 && code <= 0x10ffff)) return undefined;
  const font = /\\f\s+(?:"([^"]*)"|([^\s"\\]+))/i.exec(instruction);
  return { text: String.fromCodePoint(code), font: font?.[1] ?? font?.[2] };
}
