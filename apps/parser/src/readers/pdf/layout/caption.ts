/** Whether a passage begins as the caption of a figure or a table does. */
export function isCaption(text: string): boolean {
  return (
    /^(?:supplementa(?:ry|l)\s+|extended data\s+|online\s+)?(?:fig(?:ure|\.)?|tab(?:le|\.)|scheme|box|chart|plate|listing|algorithm|abbildung|tabelle|tableau|cuadro|tabla)\s*\.?\s*[A-Z]?\d+[A-Za-z]?\b/i.test(
      text,
    ) || /^(?:table|figure|tab\.|fig\.)\s[IVXL]{1,5}(?:[\s.:]|$)/i.test(text.slice(0, 20))
  );
}
