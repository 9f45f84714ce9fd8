import type { TextSpan } from "../../containers/opc-inlines.ts";
import type { Block } from "../../document/document.ts";
import { type DocInfo, lookOfParagraph } from "./doc-info.ts";
import { Flow } from "./flow.ts";
import { type HwpRecord, hwpTag } from "./hwp-records.ts";
import type { HwpStory } from "./hwp-story.ts";
import { readControl } from "./read-control.ts";

/** The paragraphs among these records as blocks. */
export function readParagraphs(records: readonly HwpRecord[], story: HwpStory): Block[] {
  const flow = new Flow(story.reading);
  for (const record of records) if (record.tag === hwpTag.paragraph) readParagraph(record, flow, story);
  return flow.finish();
}

const shapeAt = 8;
const styleAt = 10;

function readParagraph(paragraph: HwpRecord, flow: Flow, story: HwpStory): void {
  const { body, children } = paragraph;
  const shape = body.length >= shapeAt + 2 ? body.readUInt16LE(shapeAt) : 0;
  const look = lookOfParagraph(story.info, shape, body[styleAt] ?? 0);
  const text = children.find(({ tag }) => tag === hwpTag.text)?.body ?? Buffer.alloc(0);
  const walk = new TextWalk(children, story);
  walk.read(text, (blocks) => {
    // What stands between the lines of a paragraph parts it.
    flow.addParagraph(walk.takeSpans(), look);
    flow.addBlocks(blocks);
  });
  flow.addParagraph(walk.takeSpans(), look);
}

/** Characters that stand for something (HWP 5.0, table 6): all below 32, of one place or of eight. */
const lastControl = 31;
const codes = {
  fieldBegin: 3,
  fieldEnd: 4,
  tab: 9,
  lineBreak: 10,
  paragraphEnd: 13,
  hyphen: 24,
  fixedSpace: 30,
  narrowSpace: 31,
} as const;
const singlePlace: ReadonlySet<number> = new Set([0, 10, 13, 24, 25, 26, 27, 28, 29, 30, 31]);
const inlinePlaces: ReadonlySet<number> = new Set([4, 5, 6, 7, 8, 9, 19, 20]);
const characters: ReadonlyMap<number, string> = new Map([
  [codes.tab, " "],
  [codes.hyphen, "-"],
  [codes.fixedSpace, "\u00a0"],
  [codes.narrowSpace, " "],
]);
const placesOfControl = 8;

/** Walks the characters of one paragraph, with the controls that stand among them. */
class TextWalk {
  readonly #story: HwpStory;
  readonly #controls: readonly HwpRecord[];
  readonly #runs: readonly (readonly [from: number, format: number])[];
  #nextControl = 0;
  #run = 0;
  #spans: TextSpan[] = [];
  #text = "";
  #format = 0;
  readonly #links: (string | undefined)[] = [];

  constructor(children: readonly HwpRecord[], story: HwpStory) {
    this.#story = story;
    this.#controls = children.filter(({ tag }) => tag === hwpTag.control);
    this.#runs = readRuns(children.find(({ tag }) => tag === hwpTag.characterShapes)?.body, story.info);
  }

  read(text: Buffer, onBlocks: (blocks: readonly Block[]) => void): void {
    for (let place = 0; 2 * place + 2 <= text.length;) {
      this.#follow(place);
      const code = text.readUInt16LE(2 * place);
      if (code > lastControl) this.#text += String.fromCharCode(code);
      else this.#readControl(code, onBlocks);
      place += code > lastControl || singlePlace.has(code) ? 1 : placesOfControl;
    }
    // Controls that no character stands for are not lost.
    while (this.#nextControl < this.#controls.length) this.#readNext(onBlocks);
  }

  takeSpans(): TextSpan[] {
    this.#flush();
    const spans = this.#spans;
    this.#spans = [];
    return spans;
  }

  #follow(place: number): void {
    for (let next = this.#runs[this.#run]; next !== undefined && next[0] <= place; next = this.#runs[++this.#run]) {
      if (next[1] === this.#format) continue;
      this.#flush();
      this.#format = next[1];
    }
  }

  #readControl(code: number, onBlocks: (blocks: readonly Block[]) => void): void {
    if (code === codes.lineBreak) this.#push({ content: { type: "lineBreak" }, format: 0 });
    else if (code === codes.fieldEnd) {
      this.#flush();
      this.#links.pop();
    } else if (singlePlace.has(code) || inlinePlaces.has(code)) this.#text += characters.get(code) ?? "";
    else this.#readNext(onBlocks, code);
  }

  #readNext(onBlocks: (blocks: readonly Block[]) => void, code?: number): void {
    const control = this.#controls[this.#nextControl++];
    const read = control === undefined ? {} : readControl(control, this.#story);
    if (code === codes.fieldBegin) {
      this.#flush();
      this.#links.push(read.link ?? this.#links.at(-1));
    }
    if (read.inline !== undefined)
      this.#push({ content: read.inline, format: typeof read.inline === "string" ? this.#format : 0 });
    if (read.blocks !== undefined && read.blocks.length > 0) onBlocks(read.blocks);
  }

  #push(span: TextSpan): void {
    this.#flush();
    this.#spans.push(span);
  }

  #flush(): void {
    const link = this.#links.at(-1);
    if (this.#text !== "")
      this.#spans.push({ content: this.#text, format: this.#format, ...(link !== undefined && { link }) });
    this.#text = "";
  }
}

function readRuns(body: Buffer = Buffer.alloc(0), { characterFormats }: DocInfo): (readonly [number, number])[] {
  const runs: (readonly [number, number])[] = [];
  for (let at = 0; at + 8 <= body.length; at += 8)
    runs.push([body.readUInt32LE(at), characterFormats[body.readUInt32LE(at + 4)] ?? 0]);
  return runs;
}
