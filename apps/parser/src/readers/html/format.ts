import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

const load: NonNullable<Format["load"]> = async () => (await import("./read-html.ts")).readHtml;

export const html: Format = {
  name: "html",
  description: "Web page (HTML)",
  extensions: ["html", "htm", "shtml", "html5"],
  mediaTypes: ["text/html"],
  sniff: sniffHtml,
  isText: true,
  load,
};

export const xhtml: Format = {
  name: "xhtml",
  description: "Web page in XML syntax (XHTML)",
  extensions: ["xhtml", "xht"],
  mediaTypes: ["application/xhtml+xml"],
  sniff: sniffXhtml,
  isText: true,
  load,
};

const start = /^(?:\s|<!--[\s\S]{0,20000}?-->)*/;
const strongTag = /^<(?:!doctype\s+html|html|head|body)\b/i;
const weakTag = /^<(?:title|meta|table|div|h[1-6]|p|ul|ol|center|font|span|a|b|br|script|style|iframe)\b[^<]{0,2000}>/i;

// The namespace on the root makes it XML syntax as much as HTML, so that the name decides, unless it is declared to be XML.
function sniffXhtml(probe: Probe): number {
  const text = probe.headText?.slice(0, 32_768);
  if (text === undefined || !text.includes("http://www.w3.org/1999/xhtml")) return 0;
  const body = text.replace(/^\s*<\?xml[^>]{0,500}\?>/, "").replace(start, "");
  return /^(?:<!doctype\s+html|<html|<\w+:html)\b/i.test(body) ? 1 : 0;
}

function sniffHtml(probe: Probe): number {
  const text = probe.headText?.slice(0, 32_768);
  if (text === undefined) return 0;
  const body = text.replace(/^\s*<\?xml[^>]{0,500}\?>/, "").replace(start, "");
  if (strongTag.test(body)) return /^\s*<\?xml\s/.test(text) ? 0.9 : 1;
  return weakTag.test(body) && /<\/\w+\s*>/.test(text) ? 0.4 : 0;
}
