/** Letters as they stand on a grid of five by seven dots. */
const letters: Readonly<Record<string, readonly string[]>> = {
  H: ["#...#", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"],
  E: ["#####", "#....", "#....", "####.", "#....", "#....", "#####"],
  L: ["#....", "#....", "#....", "#....", "#....", "#....", "#####"],
  O: [".###.", "#...#", "#...#", "#...#", "#...#", "#...#", ".###."],
};

const dotPixels = 8;
const marginPixels = 60;

/** A black-on-white Windows bitmap that says HELLO HELLO, for engines that read pictures. */
export function makePictureOfText(): Buffer {
  const text = "HELLO HELLO";
  const width = Math.ceil((2 * marginPixels + text.length * 6 * dotPixels) / 4) * 4;
  const height = 2 * marginPixels + 7 * dotPixels;
  const pixels = Buffer.alloc(width * height * 3, 255);
  for (let y = 0; y < 7 * dotPixels; y++) {
    for (let x = 0; x < text.length * 6 * dotPixels; x++) {
      const letter = letters[text[Math.floor(x / (6 * dotPixels))] ?? ""];
      const isInk = letter?.[Math.floor(y / dotPixels)]?.[Math.floor(x / dotPixels) % 6] === "#";
      const at = ((height - 1 - marginPixels - y) * width + marginPixels + x) * 3;
      if (isInk) pixels.fill(0, at, at + 3);
    }
  }
  return Buffer.concat([header(width, height, pixels.length), pixels]);
}

function header(width: number, height: number, pixelBytes: number): Buffer {
  const bytes = Buffer.alloc(54);
  bytes.write("BM", 0, "latin1");
  bytes.writeUInt32LE(54 + pixelBytes, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}
