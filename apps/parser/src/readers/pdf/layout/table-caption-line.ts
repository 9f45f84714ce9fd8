import type { Box } from "../page-content.ts";
import type { Line } from "./line.ts";

const captionDistance = 60;
const caption =
  /^(?:supplementa(?:ry|l)|extended(?: data)?|online|appendix)?\s*(?:tab(?:le|\.|elle|leau|ela|ella|la)?|cuadro|quadro|tabell|tabel|таблица|表)(?!\p{L})\s*[.:]?\s*(?:\(?(?:[A-Z]{0,2}\s?[.-]?\d|[IVXLC]{1,6}\b))/iu;

/** Letters that the words of captions begin with. */
const firstLetters = "TtSsEeOoAaCcQqТт表";

/** Whether a text begins as the caption of a table does: the word and a number. */
export function isTableCaption(text: string): boolean {
  // In small capitals, the first letter may stand apart.
  return caption.test(text.slice(0, 80).replace(/^T (?=able)/i, "T"));
}

export function isCaptionLine({ words }: Line): boolean {
  const first = words[0]?.text ?? "";
  // Most lines are told by their first letter; a regular expression for each would show.
  if (!firstLetters.includes(first.charAt(0))) return false;
  return isTableCaption(
    words
      .slice(0, 6)
      .map(({ text }) => text)
      .join(" "),
  );
}

/** Whether a line that begins as the caption of a table stands above or below an area. */
export function hasCaptionNear(area: Box, captionLines: readonly Line[]): boolean {
  return captionLines.some((line) => {
    const above = area.top - line.bottom;
    const below = line.top - area.bottom;
    const isNear = (above > -4 && above < captionDistance) || (below > -4 && below < captionDistance / 2);
    return isNear && line.left < area.right && line.right > area.left;
  });
}
