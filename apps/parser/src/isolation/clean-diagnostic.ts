/**
 * What of a worker's last words, or of the stack it sends, may stand in our log: stack frames, names of errors, and what
 * V8 and the launchers say of themselves. Messages of errors are left out, because they quote the document.
 */
export function cleanDiagnostic(text: string): string {
  const lines = text.split("\n").flatMap((line) => cleanLine(line) ?? []);
  return stripControls(lines.join("\n")).slice(0, maxCharacters);
}

/** The same without the choice of lines, for words that were said before there was any document. */
export function stripControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- a terminal that shows the log must not obey a document
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

const maxCharacters = 4000;
const frame = /^\s+at /;
const ownWords = /^(?:FATAL ERROR: |# ?(?:Fatal|Check failed)|terminate called|(?:bwrap|prlimit|setpriv): |Node\.js v)/;
const errorName = /^(caused by |Uncaught )?[A-Z]\w*(?:Error|Exception)\b(?: \[\w+\])?/;

function cleanLine(line: string): string | undefined {
  if (frame.test(line) || ownWords.test(line)) return line;
  return errorName.exec(line)?.[0];
}
