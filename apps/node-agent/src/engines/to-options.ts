/** Options of a command line, `--name value` each; those that are undefined are left out. */
export const toOptions = (options: Readonly<Record<string, string | number | undefined>>): readonly string[] =>
  Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));
