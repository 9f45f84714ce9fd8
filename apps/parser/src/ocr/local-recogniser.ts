import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Recognition, RecogniseRequest } from "./recogniser.ts";
import { instantiateTesseract, type Tesseract, type TesseractModule } from "./tesseract-module.ts";

/** Language data that comes with this program; the integer variant of the best models. */
const packages: Readonly<Record<string, string>> = {
  eng: "@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz",
  chi_sim: "@tesseract.js-data/chi_sim/4.0.0_best_int/chi_sim.traineddata.gz",
};
export const localLanguages: readonly string[] = Object.keys(packages);

/** Larger than any language's data. */
const maxDataBytes = 64 << 20;
/** OEM_LSTM_ONLY of publictypes.h; the data holds nothing else. */
const lstmOnly = 1;

interface Ready extends Tesseract {
  readonly languages: string;
  readonly api: InstanceType<TesseractModule["TessBaseAPI"]>;
}

// One instance serves picture after picture; it is kept between documents, as their language rarely changes.
let ready: Ready | undefined;

/** Loads Tesseract as WebAssembly for languages of `localLanguages`. @throws Error when it cannot be loaded. */
export async function prepareLocalRecogniser(languages: readonly string[]): Promise<void> {
  const joined = languages.join("+");
  if (ready?.languages === joined) return;
  ready = undefined;
  const tesseract = await instantiateTesseract();
  const { module } = tesseract;
  for (const language of languages) {
    const packed = readFileSync(fileURLToPath(import.meta.resolve(packages[language] ?? "")));
    module.FS.writeFile(`${language}.traineddata`, gunzipSync(packed, { maxOutputLength: maxDataBytes }));
  }
  const api = new module.TessBaseAPI();
  if (api.Init(null, joined, lstmOnly) !== 0) throw new Error(`the data of ${joined} is not usable`);
  for (const language of languages) module.FS.unlink(`${language}.traineddata`);
  api.SetVariable("tessedit_pageseg_mode", "3");
  ready = { ...tesseract, languages: joined, api };
}

export const isLocallyReady = (): boolean => ready !== undefined;

/** Reads a picture after `prepareLocalRecogniser`. */
export function recogniseLocally({ picture, timeoutMs }: RecogniseRequest): Recognition {
  if (ready === undefined) return { outcome: "failed", detail: "OCR is not ready." };
  const { module, memory, api } = ready;
  const endsAtMs = performance.now() + timeoutMs;
  let isLate = false;
  module.TesseractProgress = () => {
    if (performance.now() < endsAtMs) return;
    isLate = true;
    throw new Error("late");
  };
  const { width, height, pixels, dpi } = picture;
  try {
    const pointer = module._malloc(pixels.length);
    if (pointer === 0) throw new Error("no memory");
    new Uint8Array(memory(), pointer, pixels.length).set(pixels);
    api.SetImage(pointer, width, height, 1, width);
    api.SetSourceResolution(Math.round(dpi));
    api.Recognize(null);
    const hocr = api.GetHOCRText(0);
    api.Clear();
    module._free(pointer);
    return { outcome: "read", hocr };
  } catch (error) {
    // Whatever was thrown has left the instance in the middle of its work.
    ready = undefined;
    return isLate ? { outcome: "timeout" } : { outcome: "failed", detail: describeFailure(error) };
  }
}

function describeFailure(error: unknown): string {
  const isMemory = error instanceof Error && /memory|OOM|alloc/i.test(error.message);
  return isMemory ? "OCR needed more memory than a document may use." : "OCR failed on this picture.";
}
