const headBytes = 2048;

// XML declaration, HTML meta, LaTeX inputenc, Emacs and Vim mode lines: what files say of their own encoding.
const declarations = [
  /^\s{0,40}<\?xml\s[^>]{0,200}?encoding\s{0,4}=\s{0,4}["']([\w.:-]{1,40})["']/,
  /<meta\s[^>]{0,200}?charset\s{0,4}=\s{0,4}["']?([\w.:-]{1,40})/i,
  /\\usepackage\[([\w-]{1,40})\]\{inputenc\}/,
  /(?:^|\n)[^\n]{0,200}?coding[:=][ \t]{0,4}([\w.-]{1,40})/,
];

// What LaTeX and Emacs call encodings that have other names elsewhere.
const localNames: Readonly<Record<string, string>> = {
  latin9: "iso-8859-15",
  latin10: "iso-8859-16",
  ansinew: "windows-1252",
  applemac: "macintosh",
  cp1252: "windows-1252",
  utf8x: "utf-8",
};

/** The encoding that the first 2 KiB of a text declare for it, as written there. Meant for bytes that extend ASCII. */
export function findDeclaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, headBytes)).toString("latin1");
  for (const declaration of declarations) {
    const name = declaration.exec(head)?.[1]?.toLowerCase();
    if (name !== undefined) return localNames[name] ?? name;
  }
  return undefined;
}
