import { isLocallyReady, localLanguages, prepareLocalRecogniser, recogniseLocally } from "./local-recogniser.ts";
import type { LanguageList, PageRecogniser, Recognition, RecogniseRequest } from "./recogniser.ts";

/** A recogniser elsewhere, asked from here; the asking blocks. */
export interface RemoteRecogniser {
  listLanguages(): LanguageList;
  recognise(request: RecogniseRequest): Recognition;
}

/**
 * OCR for one document: by the program of this machine where it has all the languages, else by the one that comes with this
 * program, else not at all.
 */
export function createPageRecogniser(remote: RemoteRecogniser | undefined): PageRecogniser {
  let chosen: "none" | "remote" | "local" = "none";
  let notice: string | undefined;

  const choose = async (languages: readonly string[]): Promise<string | undefined> => {
    const { languages: installed, fault } = remote?.listLanguages() ?? { languages: [] };
    if (hasAll(installed, languages)) {
      chosen = "remote";
      return undefined;
    }
    if (!hasAll(localLanguages, languages)) return missingData(languages, { languages: installed, fault });
    try {
      await prepareLocalRecogniser(languages);
    } catch {
      return "OCR could not be loaded; there may be too little memory for it (PARSER_WORKER_MEMORY_MIB)";
    }
    chosen = "local";
    if (fault !== undefined)
      notice = `The Tesseract of this machine could not be used (${fault}); the one that comes with this program, which is slower, read instead.`;
    return undefined;
  };

  return {
    get isReady() {
      return chosen === "remote" || (chosen === "local" && isLocallyReady());
    },
    get notice() {
      return notice;
    },
    prepare: choose,
    recognise: (request) =>
      chosen === "remote" && remote !== undefined ? remote.recognise(request) : recogniseLocally(request),
  };
}

const hasAll = (known: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((language) => known.includes(language));

function missingData(languages: readonly string[], { languages: installed, fault }: LanguageList): string {
  const known = [...new Set([...localLanguages, ...installed])];
  const missing = languages.filter((language) => !known.includes(language));
  // Each is there, but not in one place.
  const wanted = (missing.length > 0 ? missing : languages).join(", ");
  const there = installed.length > 0 ? installed : localLanguages;
  if (fault !== undefined)
    return `there is no OCR data for ${wanted} in this program (there are: ${there.join(", ")}), and the Tesseract of this machine could not be asked (${fault}): mend it, or set PARSER_TESSERACT_PATH`;
  return `there is no OCR data for ${wanted}: install tesseract-ocr with it, or change ocr_languages (there are: ${there.join(", ")})`;
}
