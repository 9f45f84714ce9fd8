import type { ZipArchive } from "../../containers/zip.ts";

/** The files of a book, found the way reading systems find them: by path, with escapes, and whatever the case. */
export class BookFiles {
  readonly #archive: ZipArchive;
  readonly #byLowerCase = new Map<string, string>();

  constructor(archive: ZipArchive) {
    this.#archive = archive;
    for (const name of archive.entries.keys()) {
      const lower = name.toLowerCase();
      if (!this.#byLowerCase.has(lower)) this.#byLowerCase.set(lower, name);
    }
  }

  get names(): string[] {
    return [...this.#archive.entries.keys()];
  }

  /** @throws AppError as `ZipArchive.read` does. */
  read(path: string): Uint8Array | undefined {
    const name = this.#archive.entries.has(path) ? path : this.#byLowerCase.get(path.toLowerCase());
    return name === undefined ? undefined : this.#archive.read(name);
  }

  /** The name inside the book of what `href` means in the file at `from`; the fragment is dropped. */
  resolve(from: string, href: string): string {
    const plain = href.split("#", 1)[0] ?? "";
    const written = joinPath(from, plain);
    if (this.#archive.entries.has(written)) return written;
    return joinPath(from, unescape(plain));
  }
}

function joinPath(from: string, href: string): string {
  const segments = href.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const segment of href.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "." && segment !== "") segments.push(segment);
  }
  return segments.join("/");
}

function unescape(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href; // a lone percent sign
  }
}
