import { nest } from "./floods.ts";

const head = "From: a@example.org\r\nTo: b@example.org\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n";

/** A mail of plain text; `headers` are further lines, each with its line end. */
export function makeMail(body: string, headers = ""): string {
  return `${head}${headers}\r\n${body}`;
}

/** A mail of several parts, each with its own headers. */
export function makeMultipart(parts: readonly string[], boundary = "edge"): string {
  const list = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("");
  return makeMail(`${list}--${boundary}--\r\n`, `Content-Type: multipart/mixed; boundary="${boundary}"\r\n`);
}

/** A mail in a mail in a mail. */
export function nestedMail(depth: number): string {
  return nest(makeMail("The innermost."), depth, (inner) => makeMail(inner, "Content-Type: message/rfc822\r\n"));
}

/** Multiparts inside one another, all with different boundaries. */
export function nestedMultipart(depth: number): string {
  return nest("Content-Type: text/plain\r\n\r\nThe innermost.", depth, (inner, level) => {
    const boundary = `edge${level}`;
    return `${level === depth - 1 ? head : ""}Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n${inner}\r\n--${boundary}--`;
  });
}
