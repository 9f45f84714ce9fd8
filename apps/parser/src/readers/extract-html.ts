import { findDecoder } from "../text/text-decoder.ts";
import { codePageName } from "../text/code-page-name.ts";

interface Group {
  /** Inside `\htmlrtf`: what only RTF readers are to see. */
  readonly isForRtf: boolean;
  /** Inside a destination that is no text. */
  readonly isSkipped: boolean;
  /** Characters that follow `\uN` for readers without Unicode. */
  readonly fallbackLength: number;
}

const token = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/g;

const skipped = new Set(["fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "mhtmltag", "generator"]);

const characters: Readonly<Record<string, string>> = {
  par: "\r\n",
  line: "\r\n",
  tab: "\t",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
  endash: "–",
  emdash: "—",
  enspace: " ",
  emspace: " ",
};

/** The HTML that is wrapped in RTF by `\fromhtml1` ([MS-OXRTFEX] 2.2.3), or undefined when the RTF is real. Linear. */
export function extractHtml(rtf: Buffer): string | undefined {
  const text = rtf.toString("latin1");
  const head = text.slice(0, 1000);
  if (!head.includes("\\fromhtml1")) return undefined;
  const codePage = Number(/\\ansicpg(\d{1,5})/.exec(head)?.[1] ?? 1252);
  return new HtmlExtractor(codePageName(codePage) ?? "windows-1252").extract(text);
}

class HtmlExtractor {
  readonly #encoding: string;
  readonly #groups: Group[] = [];
  readonly #html: string[] = [];
  #group: Group = { isForRtf: false, isSkipped: false, fallbackLength: 1 };
  // Bytes of the code page; a character may come in two pieces.
  #bytes: number[] = [];
  #fallbackLeft = 0;
  #isIgnorable = false;

  constructor(encoding: string) {
    this.#encoding = encoding;
  }

  extract(rtf: string): string {
    for (const [, word, parameter, hex, symbol, brace, text] of rtf.matchAll(token)) {
      if (word !== undefined) this.#control(word, parameter);
      else if (hex !== undefined) this.#byte(Number.parseInt(hex, 16));
      else if (symbol !== undefined) this.#symbol(symbol);
      else if (brace !== undefined) this.#brace(brace);
      else if (text !== undefined) for (let at = 0; at < text.length; at++) this.#byte(text.charCodeAt(at));
    }
    this.#flush();
    return this.#html.join("");
  }

  #brace(brace: string): void {
    this.#isIgnorable = false;
    if (brace === "{") this.#groups.push(this.#group);
    else this.#group = this.#groups.pop() ?? this.#group;
  }

  #symbol(symbol: string): void {
    if (symbol === "*") this.#isIgnorable = true;
    else if (symbol === "~") this.#text("\u00a0");
    else if (symbol === "_") this.#text("-");
    else if ("\\{}".includes(symbol)) this.#byte(symbol.charCodeAt(0));
  }

  #control(word: string, parameter: string | undefined): void {
    const isDestination = this.#isIgnorable;
    this.#isIgnorable = false;
    if (word === "htmltag") this.#group = { ...this.#group, isForRtf: false, isSkipped: false };
    else if (skipped.has(word) || isDestination) this.#group = { ...this.#group, isSkipped: true };
    else if (word === "htmlrtf") this.#group = { ...this.#group, isForRtf: parameter !== "0" };
    else if (word === "uc") this.#group = { ...this.#group, fallbackLength: Math.max(0, Number(parameter ?? 1)) };
    else if (word === "u") this.#unicode(Number(parameter ?? 0));
    else this.#text(characters[word] ?? "");
  }

  #unicode(code: number): void {
    this.#text(String.fromCharCode(code & 0xffff));
    this.#fallbackLeft = this.#group.fallbackLength;
  }

  #byte(byte: number): void {
    if (this.#fallbackLeft > 0) this.#fallbackLeft--;
    else if (!this.#group.isForRtf && !this.#group.isSkipped) this.#bytes.push(byte);
  }

  #text(text: string): void {
    if (text === "" || this.#group.isForRtf || this.#group.isSkipped) return;
    this.#flush();
    this.#html.push(text);
  }

  #flush(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Uint8Array.from(this.#bytes);
    this.#html.push(findDecoder(this.#encoding)?.decode(bytes) ?? Buffer.from(bytes).toString("latin1"));
    this.#bytes = [];
  }
}
