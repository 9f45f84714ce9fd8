interface Props {
  /** What stands between backquotes is shown as code. */
  readonly text: string;
}

/** A sentence with commands in it. */
export function CodeText({ text }: Props) {
  return text.split("`").map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={part} className="code-in-text">
        {part}
      </code>
    ),
  );
}
