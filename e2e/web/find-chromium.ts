import { existsSync } from "node:fs";

const usualPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** The browser of `CHROMIUM_PATH`, else one at a usual place; undefined where there is none. */
export function findChromium(): string | undefined {
  const given = process.env["CHROMIUM_PATH"];
  return given || usualPaths.find((path) => existsSync(path));
}
