/** What detection may look at. All parts are read at most once, and bounded. */
export interface Probe {
  readonly sizeBytes: number;
  /** The first bytes, at most 64 KiB. */
  readonly head: Uint8Array;
  /** `head` as Latin-1, for signatures; byte n is character n. */
  readonly headLatin1: string;
  /** `head` decoded as text when it looks like text in some encoding (UTF-8, UTF-16 or a legacy one), without BOM. */
  readonly headText: string | undefined;
  /** The directory of the ZIP archive that this file is, or undefined. Names use `/`. */
  readonly zip: ZipListing | undefined;
  /** The directory of the OLE compound file that this file is, or undefined. */
  readonly compound: CompoundListing | undefined;
}

export interface ZipListing {
  /** Names of entries, at most 10,000. */
  readonly names: ReadonlySet<string>;
  /** Contents of the first entry when it is named `mimetype` and stored, as EPUB and OpenDocument have it. */
  readonly mimetype: string | undefined;
  /** `[Content_Types].xml` of an OPC package, decoded; undefined when absent, encrypted or over 1 MiB. */
  readonly contentTypes: string | undefined;
}

export interface CompoundListing {
  /** Names of streams and storages, without paths. */
  readonly names: ReadonlySet<string>;
}
