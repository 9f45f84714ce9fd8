import type { Format } from "../format.ts";

const some = (names: ReadonlySet<string>, pattern: RegExp): boolean =>
  names.values().some((name) => pattern.test(name));

/** What a document of Apple's programs has inside since 2013, and what it had until then. */
const currentWork = /^(?:.*\/)?Index(?:\.zip|\/Document\.iwa)$/;
const olderWork = /^index\.(?:xml|apxl)(?:\.gz)?$/;

interface AppleProgram {
  readonly name: string;
  readonly program: string;
  readonly extensions: readonly string[];
  readonly exportAs: string;
  /** A name that only documents of this program have inside. */
  readonly own: RegExp;
  /** Reads documents of 2013 and later. */
  readonly load?: Format["load"];
}

/** The three programs pack alike, so that for many of their documents only the name of the file tells them apart. */
function appleWork(age: "current" | "older", { name, program, extensions, exportAs, own, load }: AppleProgram): Format {
  const mark = age === "current" ? currentWork : olderWork;
  return {
    name: age === "current" ? name : `${name}09`,
    description: `${program} document${age === "current" ? "" : " of iWork ’09 or older"}`,
    extensions,
    mediaTypes: age === "current" ? [`application/vnd.apple.${name}`] : [],
    sniff: ({ zip }) => {
      if (zip === undefined || !some(zip.names, mark)) return 0;
      if (some(zip.names, own)) return 0.95;
      // Old documents of Keynote have a name of their own, which others lack.
      return age === "older" && name === "keynote" ? 0 : 0.6;
    },
    ...(age === "current" && load !== undefined && { load }),
    remedy: `Open it in ${program} and export it as ${exportAs}.`,
  };
}

const applePrograms = {
  pages: {
    name: "pages",
    program: "Pages",
    extensions: ["pages"],
    exportAs: ".docx",
    own: /^Index\/Section-?\d*\.iwa$/,
  },
  numbers: {
    name: "numbers",
    program: "Numbers",
    extensions: ["numbers"],
    exportAs: ".xlsx",
    own: /^Index\/Sheet-?\d*\.iwa$/,
  },
  keynote: {
    name: "keynote",
    program: "Keynote",
    extensions: ["key", "kth"],
    exportAs: ".pptx",
    own: /^Index\/Slide-?\d*\.iwa$|^index\.apxl(?:\.gz)?$/,
    load: async () => (await import("./read-keynote.ts")).readKeynote,
  },
} satisfies Readonly<Record<string, AppleProgram>>;

export const pages = appleWork("current", applePrograms.pages);
export const numbers = appleWork("current", applePrograms.numbers);
export const keynote = appleWork("current", applePrograms.keynote);
export const pages09 = appleWork("older", applePrograms.pages);
export const numbers09 = appleWork("older", applePrograms.numbers);
export const keynote09 = appleWork("older", applePrograms.keynote);
