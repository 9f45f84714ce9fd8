/** A name without folders and control characters, from text that the other side chose; `undefined` when none is left. */
export function toFileName(text: string): string | undefined {
  const last = text.split(/[/\\]/).at(-1) ?? "";
  const name = last
    .toWellFormed()
    .replaceAll(/\p{Cc}|\p{Bidi_Control}/gu, "")
    .normalize("NFC")
    .trim();
  const isName = name !== "" && name !== "." && name !== "..";
  return isName ? Array.from(name).slice(0, 255).join("") : undefined;
}
