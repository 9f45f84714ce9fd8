/**
 * Every file type the service knows, one line each. The order does not matter: the bytes decide, then the name.
 */
export { text } from "./readers/text/format.ts";
export { html, xhtml } from "./readers/html/format.ts";
export { xlsx } from "./readers/xlsx/format.ts";
export { json } from "./readers/json/format.ts";
export { jsonl } from "./readers/jsonl/format.ts";
export { yaml } from "./readers/yaml/format.ts";
export { toml } from "./readers/toml/format.ts";
export { xml } from "./readers/xml/format.ts";
export { code } from "./readers/code/format.ts";
export { notebook } from "./readers/notebook/format.ts";
export { subrip } from "./readers/subrip/format.ts";
export { webvtt } from "./readers/webvtt/format.ts";
export { gzip } from "./readers/gzip/format.ts";
export { tar } from "./readers/tar/format.ts";
export { zip } from "./readers/zip/format.ts";
export { pdf } from "./readers/pdf/format.ts";
export { xls, xmlSpreadsheet } from "./readers/xls/format.ts";
export { xlsb } from "./readers/xlsb/format.ts";
export { csv } from "./readers/csv/format.ts";
export { tsv } from "./readers/tsv/format.ts";
export { docx } from "./readers/docx/format.ts";
export { eml } from "./readers/eml/format.ts";
export { mbox } from "./readers/mbox/format.ts";
export { mhtml } from "./readers/mhtml/format.ts";
export { rtf } from "./readers/rtf/format.ts";
export { doc } from "./readers/doc/format.ts";
export { bmp, gif, jpeg, png, tiff, webp } from "./readers/image/format.ts";
export { ppt } from "./readers/ppt/format.ts";
export { markdown } from "./readers/markdown/format.ts";
export { epub } from "./readers/epub/format.ts";
export { odt } from "./readers/odt/format.ts";
export { pptx } from "./readers/pptx/format.ts";
export { fb2 } from "./readers/fb2/format.ts";
export { ods } from "./readers/ods/format.ts";
export { odp } from "./readers/odp/format.ts";
