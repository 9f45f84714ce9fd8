/** The peers that come from npm and PyPI, each at one version. None of them is a dependency of the product. */
export interface PeerPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** What must be installed with it, and how. */
  readonly with?: readonly string[];
}

export const nodePackages: Readonly<Record<string, PeerPackage>> = {
  liteparse: { name: "@llamaindex/liteparse", version: "2.14.7", licence: "Apache-2.0" },
  "pdf-inspector": { name: "@firecrawl/pdf-inspector", version: "1.25.1", licence: "MIT" },
  opendataloader: { name: "@opendataloader/pdf", version: "2.5.11", licence: "Apache-2.0" },
  unpdf: { name: "unpdf", version: "1.8.1", licence: "MIT" },
  officeparser: { name: "officeparser", version: "8.1.1", licence: "MIT" },
  mammoth: { name: "mammoth", version: "1.13.0", licence: "BSD-2-Clause" },
  turndown: { name: "turndown", version: "7.2.1", licence: "MIT", with: ["turndown-plugin-gfm@1.0.2"] },
};

export const pythonPackages: Readonly<Record<string, PeerPackage>> = {
  markitdown: { name: "markitdown[all]", version: "0.1.8", licence: "MIT" },
  pymupdf4llm: { name: "pymupdf4llm", version: "1.28.2", licence: "AGPL-3.0" },
  unstructured: {
    name: "unstructured[csv,docx,epub,md,odt,pptx,xlsx]",
    version: "0.27.30",
    licence: "Apache-2.0",
  },
  docling: {
    name: "docling-slim[convert-core,format-email,format-office,format-opendocument,format-web]",
    version: "2.143.0",
    licence: "MIT",
    // Its converter imports torch for formats that do without it too.
    with: ["torch==2.13.0"],
  },
};
