/** Record types of charts ([MS-XLS] 2.3.1). */
const record = { text: 0x100d, link: 0x1027 } as const;
/** What an `ObjectLink` says the text before it is: the title of the chart. */
const titleLink = 1;

const kinds: ReadonlyMap<number, string> = new Map([
  [0x1017, "Bar chart"],
  [0x1018, "Line chart"],
  [0x1019, "Pie chart"],
  [0x101a, "Area chart"],
  [0x101b, "Scatter chart"],
  [0x103e, "Radar chart"],
  [0x103f, "Surface chart"],
  [0x1040, "Radar chart"],
]);

/** Gathers from the records of one chart what it is and what it is called. Its numbers are those of the cells. */
export class ChartReader {
  #kind = "Chart";
  #title = "";
  #text = "";

  visit(type: number, body: Buffer): void {
    if (type === record.text) this.#text = readText(body);
    else if (type === record.link && body.length >= 2 && body.readUInt16LE(0) === titleLink) {
      this.#title ||= this.#text;
      this.#text = "";
    } else if (this.#kind === "Chart") this.#kind = kinds.get(type) ?? this.#kind;
  }

  get description(): string {
    return this.#title === "" ? this.#kind : `${this.#kind}: ${this.#title}`;
  }
}

// `SeriesText` ([MS-XLS] 2.4.254): a number of no meaning, the length, a byte of flags, the characters.
function readText(body: Buffer): string {
  if (body.length < 4) return "";
  const isWide = ((body[3] ?? 0) & 1) === 1;
  const length = body[2] ?? 0;
  return body
    .toString(isWide ? "utf16le" : "latin1", 4)
    .slice(0, length)
    .replaceAll(/\s+/g, " ")
    .trim();
}
