import type { Block, Inline } from "../document/document.ts";
import { documentText, inlineText } from "../document/document-text.ts";
import type { ReadContext } from "./reader.ts";

/** A signature is no longer than this; more lines after its mark are text. */
const maxSignatureLines = 15;
const maxAttributionLength = 400;

/** `Jane wrote:` in the languages of common mail programs, in the line that stands before what she wrote. */
const attribution =
  /(?:wrote|writes|schrieb|a [eé]crit|escribi[oó]|escreveu|ha scritto|schreef|skrev|kirjoitti|napisał\(?a?\)?|napsal\(?a?\)?|пише[тт]?|написал\(?а?\)?|yazdı|写道|寫道|书きました|書きました|のメール|작성)[^\n]{0,100}$/iu;
const divider =
  /^\s*[-_]{2,}\s*(?:original message|ursprüngliche nachricht|message d[’']origine|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht|oprindelig meddelelse|исходное сообщение|原始邮件|原始郵件)\s*[-_]{2,}/iu;
/** The head of the message that Outlook puts above what it quotes: who, when, to whom. */
const quotedHead =
  /^\s*(?:from|von|de|da|van|fra|från|от|发件人|寄件者|差出人)\s*[:：][^\n]*\n\s*(?:sent|date|gesendet|datum|envoy[eé]|enviado|inviato|data|verzonden|sendt|skickat|дата|отправлено|发送时间|寄件日期|日時)\s*[:：]/iu;

/** The text of a message without what it quotes, where the caller wants that; told with the number of words. */
export function leaveOutQuotedText(blocks: readonly Block[], context: ReadContext): readonly Block[] {
  if (context.options.quotedText !== "drop") return blocks;
  const kept = dropQuoted(blocks);
  // A message that is nothing but a quotation is read whole.
  if (kept.length === blocks.length || kept.length === 0) return blocks;
  warnOfQuotedText(countWords(blocks) - countWords(kept), context);
  return kept;
}

/** Plain text of a message without its signature (RFC 3676, 4.3), where the caller wants that. */
export function leaveOutSignature(text: string, context: ReadContext): string {
  if (context.options.quotedText !== "drop") return text;
  const lines = text.split(/\r\n?|\n/);
  const from = lines.findLastIndex((line) => line === "-- " || line === "--");
  if (from <= 0) return text;
  const quote = lines.findIndex((line, index) => index > from && (line.startsWith(">") || divider.test(line)));
  const end = quote < 0 ? lines.length : quote;
  const signature = lines.slice(from + 1, end);
  if (signature.length > maxSignatureLines) return text;
  warnOfQuotedText(signature.join(" ").split(/\s+/).filter(Boolean).length, context);
  return [...lines.slice(0, from), ...lines.slice(end)].join("\n");
}

export function warnOfQuotedText(words: number, { warn }: Pick<ReadContext, "warn">): void {
  if (words > 0) warn(`Quoted messages and signatures were left out (words: ${words}).`);
}

function dropQuoted(blocks: readonly Block[]): Block[] {
  const kept: Block[] = [];
  for (const block of blocks) {
    if (block.type === "paragraph" && isHeadOfQuoted(block.inlines)) return withoutAttribution(kept);
    if (block.type !== "quote") kept.push(block);
    else if (isAttribution(kept.at(-1))) kept.pop();
  }
  return kept;
}

function isHeadOfQuoted(inlines: readonly Inline[]): boolean {
  const text = inlineText(inlines.slice(0, 40));
  return divider.test(text) || quotedHead.test(text);
}

function withoutAttribution(blocks: Block[]): Block[] {
  if (isAttribution(blocks.at(-1))) blocks.pop();
  return blocks;
}

function isAttribution(block: Block | undefined): boolean {
  if (block?.type !== "paragraph") return false;
  const text = inlineText(block.inlines).trim();
  return text.length <= maxAttributionLength && attribution.test(text);
}

function countWords(blocks: readonly Block[]): number {
  let count = 0;
  for (const text of documentText(blocks)) count += text.match(/\S+/g)?.length ?? 0;
  return count;
}
