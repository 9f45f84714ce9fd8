const newline = 0x0a;
const mark = Buffer.from("\nFrom ", "latin1");

/**
 * The messages of a mailbox of any mbox dialect, without their `From ` lines and with `>From ` lines unescaped. A `From `
 * line counts when it follows an empty line, has a year, and a header follows it, so that text that merely begins with
 * "From " splits nothing.
 */
export function splitMessages(bytes: Uint8Array): Buffer[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = findStarts(buffer);
  return starts.map((start, index) => {
    const bodyAt = buffer.indexOf(newline, start) + 1;
    return unescape(buffer.subarray(bodyAt, starts[index + 1] ?? buffer.length));
  });
}

function findStarts(buffer: Buffer): number[] {
  const starts: number[] = [];
  if (isStart(buffer, 0)) starts.push(0);
  for (let at = buffer.indexOf(mark); at !== -1; at = buffer.indexOf(mark, at + 1)) {
    const followsEmptyLine = buffer[at - 1] === newline || (buffer[at - 1] === 0x0d && buffer[at - 2] === newline);
    if (followsEmptyLine && isStart(buffer, at + 1)) starts.push(at + 1);
  }
  return starts;
}

function isStart(buffer: Buffer, at: number): boolean {
  const text = buffer.toString("latin1", at, Math.min(buffer.length, at + 600));
  return /^From \S[^\n]*\d{4}[^\n]*\r?\n>?[A-Za-z][\w-]*:/.test(text);
}

// mboxrd puts one `>` before every `>…>From ` of a body, mboxo only before `From `; taking one off undoes both.
function unescape(message: Buffer): Buffer {
  if (!message.includes("\n>From ") && !message.includes("\n>>")) return message;
  return Buffer.from(message.toString("latin1").replace(/^>(>*From )/gm, "$1"), "latin1");
}
