import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const markdown: Format = {
  name: "md",
  description: "Markdown",
  extensions: ["md", "markdown", "mdown", "mkd"],
  mediaTypes: ["text/markdown", "text/x-markdown"],
  sniff,
  isText: true,
  load: async () => (await import("./read-markdown.ts")).readMarkdown,
};

// Habits of Markdown that plain text and other languages seldom share; several together make it likely.
const signs = [
  /^#{1,6} \S.*\n\s*\n/m,
  /^(?:```|~~~)[\w+-]*\s*$/m,
  /\[[^\]\n]{1,200}\]\((?:https?:|\/|\.|#|mailto:)[^)\s]{0,500}\)/,
  /^\|? *:?-{3,}:? *\|(?: *:?-{3,}:? *\|?)*$/m,
  /(?<![*\w])\*\*[^\s*][^*\n]{0,200}\*\*(?![*\w])/,
  /^(?:[-*+] \S.*\n){2}/m,
  /^---\n(?:[\w-]+:.*\n)+---\n/,
];

function sniff({ headText }: Probe): number {
  const text = headText?.slice(0, 16_384);
  if (text === undefined || !/[#*`|[]/.test(text)) return 0;
  const count = signs.filter((sign) => sign.test(text)).length;
  return count >= 3 ? 0.4 : count === 2 ? 0.3 : 0;
}
