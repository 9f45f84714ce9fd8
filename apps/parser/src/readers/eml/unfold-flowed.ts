interface FlowedLine {
  readonly quoteDepth: number;
  readonly text: string;
  readonly goesOn: boolean;
}

const signatureMark = "-- ";

/**
 * Joins the lines of `format=flowed` text (RFC 3676): a line that ends with a space goes on in the next one of the same
 * quote depth. `deletesSpace` is the parameter `delsp`.
 */
export function unfoldFlowed(text: string, deletesSpace: boolean): string {
  const joined: string[] = [];
  let open: FlowedLine | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = toFlowedLine(raw, deletesSpace);
    const continues = open?.quoteDepth === line.quoteDepth && line.text !== signatureMark;
    if (continues) joined[joined.length - 1] += line.text;
    else joined.push(line.quoteDepth === 0 ? line.text : `${">".repeat(line.quoteDepth)} ${line.text}`);
    open = line.goesOn ? line : undefined;
  }
  return joined.join("\n");
}

function toFlowedLine(raw: string, deletesSpace: boolean): FlowedLine {
  const quoteDepth = /^>*/.exec(raw)?.[0].length ?? 0;
  const text = raw.slice(quoteDepth).replace(/^ /, "");
  const goesOn = text.endsWith(" ") && text !== signatureMark;
  return { quoteDepth, goesOn, text: goesOn && deletesSpace ? text.slice(0, -1) : text };
}
