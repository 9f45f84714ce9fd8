import { attribute, type HtmlElement, hasClass } from "./html-node.ts";

const hidingStyle = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all)\b/i;

/** Whether a browser would not show the element, as far as its own tag tells. */
export function isHidden(element: HtmlElement): boolean {
  const { attributes, name } = element;
  if (attributes.size === 0) return false;
  const hidden = attributes.get("hidden");
  if (hidden !== undefined && hidden.toLowerCase() !== "until-found") return true;
  const style = attributes.get("style");
  if (style !== undefined && hidingStyle.test(style)) return !hasMathForReaders(element);
  return name === "input" && attribute(element, "type").toLowerCase() === "hidden";
}

// MediaWiki hides the MathML from eyes and shows a picture of it, whose source text the MathML has.
function hasMathForReaders(element: HtmlElement): boolean {
  return /\bmwe-math-mathml/.test(attribute(element, "class"));
}

/** Pictures of formulas and other copies of MathML that stand beside it for the eye. */
export function isFormulaCopy(element: HtmlElement): boolean {
  return (
    hasClass(element, "katex-html") ||
    hasClass(element, "MathJax_Preview") ||
    element.name === "mjx-math" ||
    (hasClass(element, "mjx-chtml") && element.attributes.has("aria-hidden"))
  );
}
