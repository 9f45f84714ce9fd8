/** Number of Unicode code points in the text; a surrogate without its partner counts as one. */
export function countCodePoints(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    pairs++;
    at++;
  }
  return text.length - pairs;
}
