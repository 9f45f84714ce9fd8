import { attribute, type HtmlElement, textOf } from "./html-node.ts";

/** Classes and ids with which mail programs mark what they quote and the signature of their user. */
const quotedNames = new Set(
  (
    "gmail_quote gmail_signature gmail_signature_prefix gmail_attr yahoo_quoted yahoo-signature moz-cite-prefix moz-signature " +
    "moz-email-headers-table protonmail_quote protonmail_signature_block tutanota_quote zmail_extra zmail_signature " +
    "ox-signature signature apple-mail-signature applemailsignature isreplycontent replyforwardmessage " +
    "divrplyfwdmsg olk_src_body_section mail-editor-reference-message-container ms-outlook-mobile-signature"
  ).split(" "),
);
const forwarded =
  /^\s*-{2,}\s*(?:forwarded message|weitergeleitete nachricht|message transf[eé]r[eé]|mensaje reenviado)/i;

/** Whether an element of a message is an earlier one that it answers, or the signature; what it forwards is its own text. */
export function isQuotedMail(element: HtmlElement): boolean {
  if (element.attributes.size === 0) return false;
  const isCited = element.name === "blockquote" && attribute(element, "type").toLowerCase() === "cite";
  const names = `${attribute(element, "class")} ${attribute(element, "id")}`.toLowerCase().split(/\s+/);
  return (isCited || names.some((name) => quotedNames.has(name))) && !forwarded.test(textOf(element).slice(0, 200));
}
