/** Unicode characters of formulas to LaTeX (base LaTeX, amsmath and amssymb commands only). */
export const latexSymbols: ReadonlyMap<string, string> = new Map([
  ..."α alpha,β beta,γ gamma,δ delta,ε varepsilon,ϵ epsilon,ζ zeta,η eta,θ theta,ϑ vartheta,ι iota,κ kappa,λ lambda,μ mu,µ mu,ν nu,ξ xi,π pi,ϖ varpi,ρ rho,ϱ varrho,σ sigma,ς varsigma,τ tau,υ upsilon,φ varphi,ϕ phi,χ chi,ψ psi,ω omega"
    .split(",")
    .map(toEntry),
  ..."Γ Gamma,Δ Delta,∆ Delta,Θ Theta,Λ Lambda,Ξ Xi,Π Pi,Σ Sigma,Υ Upsilon,Φ Phi,Ψ Psi,Ω Omega,ℏ hbar,ℓ ell,ℜ Re,ℑ Im,℘ wp,ℵ aleph,ℶ beth,ı imath,ȷ jmath,∂ partial,∇ nabla,∞ infty,∅ emptyset,∀ forall,∃ exists,∄ nexists,¬ neg,∠ angle,° degree,′ prime,∎ blacksquare"
    .split(",")
    .map(toEntry),
  ..."± pm,∓ mp,× times,÷ div,⋅ cdot,· cdot,∙ bullet,∘ circ,∗ ast,⋆ star,⊕ oplus,⊖ ominus,⊗ otimes,⊘ oslash,⊙ odot,† dagger,‡ ddagger,∧ wedge,∨ vee,∩ cap,∪ cup,⊎ uplus,⊓ sqcap,⊔ sqcup,∖ setminus,≀ wr,⨯ times"
    .split(",")
    .map(toEntry),
  ..."≤ leq,≥ geq,≦ leqq,≧ geqq,⩽ leqslant,⩾ geqslant,≠ neq,≡ equiv,≈ approx,≅ cong,≃ simeq,∼ sim,∝ propto,≪ ll,≫ gg,≺ prec,≻ succ,⪯ preceq,⪰ succeq,⊂ subset,⊃ supset,⊆ subseteq,⊇ supseteq,⊊ subsetneq,⊏ sqsubset,⊑ sqsubseteq,⊒ sqsupseteq,∈ in,∉ notin,∋ ni,⊢ vdash,⊣ dashv,⊨ models,⊥ perp,∥ parallel,∣ mid,∤ nmid,≐ doteq,≜ triangleq,≍ asymp,⋈ bowtie,∴ therefore,∵ because"
    .split(",")
    .map(toEntry),
  ..."← leftarrow,→ rightarrow,↑ uparrow,↓ downarrow,↔ leftrightarrow,↕ updownarrow,⇐ Leftarrow,⇒ Rightarrow,⇑ Uparrow,⇓ Downarrow,⇔ Leftrightarrow,⟵ longleftarrow,⟶ longrightarrow,⟹ Longrightarrow,⟸ Longleftarrow,⟺ Longleftrightarrow,↦ mapsto,⟼ longmapsto,↩ hookleftarrow,↪ hookrightarrow,↗ nearrow,↘ searrow,↙ swarrow,↖ nwarrow,⇀ rightharpoonup,⇁ rightharpoondown,↼ leftharpoonup,↽ leftharpoondown,⇌ rightleftharpoons,⇋ leftrightharpoons,↝ leadsto,⊤ top"
    .split(",")
    .map(toEntry),
  ..."∑ sum,∏ prod,∐ coprod,∫ int,∬ iint,∭ iiint,∮ oint,∯ oiint,∰ oiiint,⋂ bigcap,⋃ bigcup,⋀ bigwedge,⋁ bigvee,⨁ bigoplus,⨂ bigotimes,⨀ bigodot,⨄ biguplus,⨆ bigsqcup"
    .split(",")
    .map(toEntry),
  ..."⟨ langle,⟩ rangle,〈 langle,〉 rangle,⌈ lceil,⌉ rceil,⌊ lfloor,⌋ rfloor,‖ Vert,… ldots,⋯ cdots,⋮ vdots,⋱ ddots,△ triangle,□ square,◇ diamond,■ blacksquare,▲ blacktriangle,♠ spadesuit,♡ heartsuit,♢ diamondsuit,♣ clubsuit,★ bigstar,√ surd,⟦ llbracket,⟧ rrbracket"
    .split(",")
    .map(toEntry),
  ...Object.entries({
    "\\": "\\backslash",
    "{": "\\{",
    "}": "\\}",
    $: "\\$",
    "&": "\\&",
    "#": "\\#",
    _: "\\_",
    "%": "\\%",
    "~": "\\sim",
    "^": "\\hat{}",
    "−": "-",
    "–": "-",
    "‐": "-",
    "⁡": "",
    "⁢": "",
    "⁣": "",
    "⁤": "",
    "​": "",
    "\u00a0": "\\ ",
    "\u2002": "\\ ",
    "\u2003": "\\quad",
    "\u2009": "\\,",
    "\u200a": "\\,",
    "\u2005": "\\:",
    "\u2004": "\\;",
    "∶": ":",
    "≔": ":=",
    "″": "''",
    "‴": "'''",
    "½": "\\frac{1}{2}",
  }),
]);

function toEntry(pair: string): [string, string] {
  const [character = "", command = ""] = pair.split(" ");
  return [character, command === "degree" ? "{}^{\\circ}" : `\\${command}`];
}

/** Combining and spacing accents of `m:acc` to LaTeX commands. */
export const latexAccents: ReadonlyMap<string, string> = new Map([
  ["\u0300", "\\grave"],
  ["\u0301", "\\acute"],
  ["\u0302", "\\hat"],
  ["^", "\\hat"],
  ["\u0303", "\\tilde"],
  ["~", "\\tilde"],
  ["\u0304", "\\bar"],
  ["\u0305", "\\overline"],
  ["¯", "\\bar"],
  ["\u0306", "\\breve"],
  ["\u0307", "\\dot"],
  ["\u0308", "\\ddot"],
  ["\u20db", "\\dddot"],
  ["\u20dc", "\\ddddot"],
  ["\u030a", "\\mathring"],
  ["\u030c", "\\check"],
  ["\u033f", "\\overline"],
  ["\u20d6", "\\overleftarrow"],
  ["\u20d7", "\\vec"],
  ["→", "\\vec"],
  ["\u20e1", "\\overleftrightarrow"],
  ["\u20d1", "\\overset{\\rightharpoonup}"],
  ["\u20d0", "\\overset{\\leftharpoonup}"],
  ["\u0331", "\\underline"],
  ["\u0332", "\\underline"],
]);

/** Names that LaTeX sets upright by a command of the same name. */
export const latexFunctions: ReadonlySet<string> = new Set(
  "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min Pr sec sin sinh sup tan tanh".split(
    " ",
  ),
);

/** Mathematical Alphanumeric Symbols (U+1D400…): where each alphabet of 26 + 26 letters begins, and its LaTeX command. */
const alphabets: readonly (readonly [number, string])[] = [
  [0x1d400, "\\mathbf"],
  [0x1d434, ""],
  [0x1d468, "\\boldsymbol"],
  [0x1d49c, "\\mathcal"],
  [0x1d4d0, "\\mathcal"],
  [0x1d504, "\\mathfrak"],
  [0x1d538, "\\mathbb"],
  [0x1d56c, "\\mathfrak"],
  [0x1d5a0, "\\mathsf"],
  [0x1d5d4, "\\mathsf"],
  [0x1d608, "\\mathsf"],
  [0x1d63c, "\\mathsf"],
  [0x1d670, "\\mathtt"],
];

const letterlike: ReadonlyMap<string, string> = new Map(
  "ℝ \\mathbb{R},ℕ \\mathbb{N},ℤ \\mathbb{Z},ℚ \\mathbb{Q},ℂ \\mathbb{C},ℙ \\mathbb{P},ℍ \\mathbb{H},ℒ \\mathcal{L},ℱ \\mathcal{F},ℋ \\mathcal{H},ℛ \\mathcal{R},ℬ \\mathcal{B},ℰ \\mathcal{E},ℳ \\mathcal{M},ℐ \\mathcal{I},ℊ \\mathcal{g},ℴ \\mathcal{o},ℯ e,ℎ h,ⅆ d,ⅅ D,ⅇ e,ⅈ i,ⅉ j,ℭ \\mathfrak{C}"
    .split(",")
    .map((pair) => pair.split(" ") as [string, string]),
);

/** Greek letters in the order of each bold and italic alphabet from U+1D6A8 on, 58 positions each. */
const greekOrder = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΘΣΤΥΦΧΨΩ∇αβγδεζηθικλμνξοπρςστυφχψω∂ϵϑκϕϱϖ";

/** One character of a formula as LaTeX; commands are not followed by a space. */
export function toLatexSymbol(character: string): string {
  const known = latexSymbols.get(character) ?? letterlike.get(character);
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  return code < 0x1d400 || code > 0x1d7ff ? character : toLatexAlphanumeric(code);
}

function toLatexAlphanumeric(code: number): string {
  const character = String.fromCodePoint(code);
  if (code >= 0x1d7ce) return wrap("\\mathbf", String((code - 0x1d7ce) % 10));
  if (code >= 0x1d6a8) {
    const greek = greekOrder[(code - 0x1d6a8) % 58] ?? character;
    return latexSymbols.get(greek) ?? greek;
  }
  const [start, command] = alphabets.findLast(([first]) => first <= code) ?? [code, ""];
  const index = code - start;
  return index < 52 ? wrap(command, String.fromCharCode(index < 26 ? 0x41 + index : 0x61 + index - 26)) : character;
}

function wrap(command: string, text: string): string {
  return command === "" ? text : `${command}{${text}}`;
}
