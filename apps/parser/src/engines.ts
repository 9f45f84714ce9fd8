/** Every parser engine, one line each; each engine says itself where it stands in the order of preference. */
export { builtin } from "./engines/builtin/engine.ts";
export { docling } from "./engines/docling/engine.ts";
export { libreoffice } from "./engines/libreoffice/engine.ts";
export { markitdown } from "./engines/markitdown/engine.ts";
export { mineru } from "./engines/mineru/engine.ts";
export { mineruCloud } from "./engines/mineru-cloud/engine.ts";
export { pandoc } from "./engines/pandoc/engine.ts";
export { tesseract } from "./engines/tesseract/engine.ts";
export { tika } from "./engines/tika/engine.ts";
export { unstructured } from "./engines/unstructured/engine.ts";
export { vlm } from "./engines/vlm/engine.ts";
