/** The name of a file as a message gives it: any text, perhaps with folders and line ends. The last piece of the path is the name. */
export function attachmentName(given: string): string | undefined {
  const printable = given.replace(/\p{C}+/gu, "").replace(/\s+/g, " ");
  const last = printable.split(/[/\\]/).findLast((piece) => piece.trim() !== "" && !/^\.+$/.test(piece.trim()));
  return last?.trim().slice(0, 200);
}
