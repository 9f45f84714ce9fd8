import type { GrayPicture } from "./gray-picture.ts";

/** A white page with bars where lines of text would be, ragged as words are. */
export function pageOfBars(width = 600, height = 800): GrayPicture {
  const pixels = new Uint8Array(width * height).fill(255);
  for (let line = 0; line < 20; line++) {
    // Lines end at different places, and words part them.
    const row = new Uint8Array(width - 100 - ((line * 37) % 90)).map((_, x) =>
      (x + 50 + line * 13) % 60 > 8 ? 0 : 255,
    );
    const top = 60 + line * 34;
    for (let y = top; y < top + 14; y++) pixels.set(row, y * width + 50);
  }
  return { width, height, pixels, dpi: 100 };
}
