/** A message as the witness tells it. */
export interface MailTruth {
  readonly subject: string;
  readonly people: readonly string[];
  /** The whole body, once for each alternative. */
  readonly bodies: readonly string[];
  /** Names of attachments. */
  readonly names: readonly string[];
  /** Text of messages and texts attached. */
  readonly inside: readonly string[];
  /** Whether that is all that a reader may find in it. */
  readonly isWhole: boolean;
}

/** Each from 0 to 1; undefined where the message has nothing of the kind. */
export interface MailScore {
  readonly isRead: boolean;
  readonly subject: number | undefined;
  readonly people: number | undefined;
  readonly body: number | undefined;
  readonly attachments: number | undefined;
  readonly ownWords: number | undefined;
}

/** What of the messages of a file an answer has, Markdown or text; undefined for no answer. */
export function scoreMail(truths: readonly MailTruth[], answer: string | undefined): MailScore {
  const text = plain(answer ?? "");
  const words = wordsOf(text);
  const has = (wanted: string): number => (text.toLowerCase().includes(plain(wanted).trim().toLowerCase()) ? 1 : 0);
  const isWhole = truths.every((truth) => truth.isWhole) && answer !== undefined;
  return {
    isRead: answer !== undefined,
    subject: mean(truths.flatMap(({ subject }) => (subject.trim() === "" ? [] : [has(subject)]))),
    people: mean(truths.flatMap(({ people }) => people.map(has))),
    body: mean(truths.flatMap(({ bodies }) => bodyOf(bodies, words))),
    attachments: mean(truths.flatMap(({ names }) => names.map(has))),
    ownWords: truths.every((truth) => truth.isWhole) ? (isWhole ? ownWords(truths, words) : 0) : undefined,
  };
}

function bodyOf(bodies: readonly string[], words: readonly string[]): number[] {
  const wanted = bodies.map((body) => wordsOf(plain(body))).filter((one) => one.length > 0);
  return wanted.length === 0 ? [] : [Math.max(...wanted.map((one) => commonLength(one, words) / one.length))];
}

/** What readers call the parts of a message. */
const labels = new Set(
  "from to cc bcc date sent start end location subject attachment attachments email message content reply".split(" "),
);

const dateWord =
  /^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|gmt|utc|[ap]m)$/;

function ownWords(truths: readonly MailTruth[], words: readonly string[]): number {
  const known = new Map<string, number>();
  const add = (texts: readonly string[]): void => {
    for (const word of texts.flatMap((text) => wordsOf(plain(text)))) known.set(word, (known.get(word) ?? 0) + 1);
  };
  for (const { subject, people, bodies, inside } of truths) {
    add([subject, ...people, ...inside]);
    // The alternative that has the most words has those of the others.
    add(bodies.toSorted((a, b) => b.length - a.length).slice(0, 1));
  }
  // Dates, which everyone writes in another way, and names of files, which stand at their pictures too, count for nobody.
  const names = new Set(truths.flatMap((truth) => truth.names.flatMap((name) => wordsOf(plain(name)))));
  const judged = words.filter(
    (word) => !labels.has(word) && !names.has(word) && !dateWord.test(word) && !/\d/.test(word),
  );
  let own = 0;
  for (const word of judged) {
    const left = known.get(word) ?? 0;
    if (left > 0) own++;
    known.set(word, left - 1);
  }
  return judged.length === 0 ? 1 : own / judged.length;
}

/** Markdown without marks, escapes, soft hyphens and addresses of links; pictures by their names. */
function plain(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll("\u00ad", "")
    .replaceAll(/<img [^>\n]*data-reference="([^"\n]*)"[^>\n]*>/g, " $1 ")
    .replaceAll(/!\[([^\]\n]*)\]\(<?(?:https?:[^)\n]*|([^)\n]*))\)/g, " $1 $2 ")
    .replaceAll(/\]\((?:<[^>\n]*>|[^)\n]*)\)/g, " ")
    .replaceAll(/<(?=[\w.+-]+@|https?:|mailto:)([^>\n]*)>/g, " $1 ")
    .replaceAll(/<\/?[a-z][^>\n]*>/gi, " ")
    .replaceAll(/&(?:lt|gt|amp|nbsp|quot|#\d+);/g, (entity) => entities[entity] ?? " ")
    .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, "")
    .replaceAll(/[*`]/g, "")
    .replaceAll(/\s+/g, " ");
}

const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"' };

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  let above = new Uint32Array(b.length + 1);
  for (const word of a) {
    const row = new Uint32Array(b.length + 1);
    for (let at = 0; at < b.length; at++) {
      const both = word === b[at] ? (above[at] ?? 0) + 1 : 0;
      row[at + 1] = Math.max(both, above[at + 1] ?? 0, row[at] ?? 0);
    }
    above = row;
  }
  return above[b.length] ?? 0;
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
