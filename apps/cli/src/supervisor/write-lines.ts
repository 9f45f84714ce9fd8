import type { Readable } from "node:stream";

/** A line longer than this is cut into several, so that a service without line ends fills no memory. */
const maxLineLength = 65_536;

/** Gives every line of a stream to `write`, with the service's name before it, if it has one. */
export function writeLines(stream: Readable, name: string, write: (line: string) => void): void {
  let rest = "";
  const mark = name === "" ? "" : `[${name}] `;
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) write(mark + line);
    if (rest.length <= maxLineLength) return;
    write(mark + rest);
    rest = "";
  });
  stream.on("end", () => {
    if (rest !== "") write(mark + rest);
    rest = "";
  });
}
