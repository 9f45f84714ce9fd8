/*
 * Characters that MathML has in its tokens, and the LaTeX commands (with amsmath and amssymb) for them. Letters and
 * punctuation that are the same in both are not listed.
 */

function pairs(list: string): [string, string][] {
  return list
    .trim()
    .split(/\s+/)
    .map((entry) => {
      const at = entry.indexOf("\\");
      return [entry.slice(0, at), entry.slice(at)] as [string, string];
    });
}

const greek = `
α\\alpha β\\beta γ\\gamma δ\\delta ε\\varepsilon ϵ\\epsilon ζ\\zeta η\\eta θ\\theta ϑ\\vartheta ι\\iota κ\\kappa ϰ\\varkappa
λ\\lambda μ\\mu µ\\mu ν\\nu ξ\\xi π\\pi ϖ\\varpi ρ\\rho ϱ\\varrho σ\\sigma ς\\varsigma τ\\tau υ\\upsilon φ\\varphi ϕ\\phi
χ\\chi ψ\\psi ω\\omega Γ\\Gamma Δ\\Delta Θ\\Theta Λ\\Lambda Ξ\\Xi Π\\Pi Σ\\Sigma Υ\\Upsilon ϒ\\Upsilon Φ\\Phi Ψ\\Psi Ω\\Omega`;

const letters = `
ℓ\\ell ℏ\\hbar ħ\\hbar ℵ\\aleph ℶ\\beth ℷ\\gimel ℘\\wp ℑ\\Im ℜ\\Re ∂\\partial ∇\\nabla ∞\\infty ∅\\emptyset ∀\\forall ∃\\exists
∄\\nexists ¬\\neg ⊤\\top ⊥\\bot ∠\\angle ∡\\measuredangle △\\triangle □\\square ◻\\square ◇\\diamond ♮\\natural ♯\\sharp ♭\\flat
ı\\imath ȷ\\jmath ⅆ\\mathrm{d} ⅇ\\mathrm{e} ⅈ\\mathrm{i} ⅉ\\mathrm{j} ℝ\\mathbb{R} ℂ\\mathbb{C} ℕ\\mathbb{N} ℤ\\mathbb{Z}
ℚ\\mathbb{Q} ℙ\\mathbb{P} ℍ\\mathbb{H} ℒ\\mathcal{L} ℋ\\mathcal{H} ℱ\\mathcal{F} ℬ\\mathcal{B} ℰ\\mathcal{E} ℳ\\mathcal{M}
ℛ\\mathcal{R} ℐ\\mathcal{I} ℊ\\mathcal{g} ℯ\\mathcal{e} ℴ\\mathcal{o} °{}^{\\circ} …\\dots ⋯\\cdots ⋮\\vdots ⋱\\ddots
′{}' %\\% #\\# $\\$ &\\& _\\_ ‰{}\\text{‰} €{}\\text{€} £\\pounds §\\S ¶\\P †\\dagger ‡\\ddagger`;

const binary = `
−- ×\\times ÷\\div ⋅\\cdot ·\\cdot ±\\pm ∓\\mp ∗\\ast ⋆\\star ∘\\circ •\\bullet ∙\\bullet ⊕\\oplus ⊖\\ominus ⊗\\otimes ⊘\\oslash
⊙\\odot ∧\\wedge ∨\\vee ∩\\cap ∪\\cup ⊎\\uplus ⊓\\sqcap ⊔\\sqcup ∖\\setminus ≀\\wr ⨿\\amalg ⋊\\rtimes ⋉\\ltimes ⋈\\bowtie`;

const relations = `
≤\\leq ≥\\geq ⩽\\leqslant ⩾\\geqslant ≪\\ll ≫\\gg ≠\\neq ≈\\approx ≃\\simeq ≅\\cong ∼\\sim ≡\\equiv ≢\\not\\equiv ∝\\propto
∈\\in ∉\\notin ∋\\ni ⊂\\subset ⊃\\supset ⊆\\subseteq ⊇\\supseteq ⊊\\subsetneq ⊋\\supsetneq ⊄\\not\\subset ⊏\\sqsubset
⊑\\sqsubseteq ⊒\\sqsupseteq ≺\\prec ≻\\succ ⪯\\preceq ⪰\\succeq ≼\\preccurlyeq ≽\\succcurlyeq ∣\\mid ∤\\nmid ∥\\parallel
∦\\nparallel ⟂\\perp ⊢\\vdash ⊣\\dashv ⊨\\models ⊩\\Vdash ≐\\doteq ≜\\triangleq ≔\\coloneqq ≍\\asymp ≲\\lesssim ≳\\gtrsim
≮\\nless ≯\\ngtr ≰\\nleq ≱\\ngeq ∴\\therefore ∵\\because ⊲\\lhd ⊳\\rhd ⊴\\unlhd ⊵\\unrhd
→\\rightarrow ←\\leftarrow ↔\\leftrightarrow ⇒\\Rightarrow ⇐\\Leftarrow ⇔\\Leftrightarrow ⟶\\longrightarrow ⟵\\longleftarrow
⟹\\Longrightarrow ⟸\\Longleftarrow ⟺\\Longleftrightarrow ⟷\\longleftrightarrow ↦\\mapsto ⟼\\longmapsto ↪\\hookrightarrow
↩\\hookleftarrow ↑\\uparrow ↓\\downarrow ↕\\updownarrow ⇑\\Uparrow ⇓\\Downarrow ⇕\\Updownarrow ↗\\nearrow ↘\\searrow
↖\\nwarrow ↙\\swarrow ⇀\\rightharpoonup ⇁\\rightharpoondown ↼\\leftharpoonup ↽\\leftharpoondown ⇌\\rightleftharpoons
↠\\twoheadrightarrow ↣\\rightarrowtail ⇝\\rightsquigarrow ⇄\\rightleftarrows`;

const large = `
∑\\sum ∏\\prod ∐\\coprod ∫\\int ∬\\iint ∭\\iiint ∮\\oint ⋂\\bigcap ⋃\\bigcup ⋀\\bigwedge ⋁\\bigvee ⨁\\bigoplus ⨂\\bigotimes
⨀\\bigodot ⨄\\biguplus ⨆\\bigsqcup`;

const fences = `
{\\{ }\\} ⟨\\langle ⟩\\rangle 〈\\langle 〉\\rangle ⌊\\lfloor ⌋\\rfloor ⌈\\lceil ⌉\\rceil ‖\\| ∥\\| ⟦\\llbracket ⟧\\rrbracket`;

const minus: [string, string][] = [
  ["−", "-"],
  ["–", "-"],
  ["‐", "-"],
];

/** Commands of binary operators, by character. */
export const binaryOperators: ReadonlyMap<string, string> = new Map([
  ...pairs(binary.replace("−-", "")),
  ...minus,
  ["+", "+"],
  ["-", "-"],
]);

/** Commands of relations and arrows, by character. */
export const relationOperators: ReadonlyMap<string, string> = new Map([
  ...pairs(relations),
  ["=", "="],
  ["<", "<"],
  [">", ">"],
  [":=", ":="],
  ["!=", "\\neq"],
  ["<=", "\\leq"],
  [">=", "\\geq"],
  ["≠", "\\neq"],
]);

/** Operators whose limits stand below and above. */
export const largeOperators: ReadonlyMap<string, string> = new Map(pairs(large));

export const fenceCommands: ReadonlyMap<string, string> = new Map([
  ...pairs(fences),
  ["(", "("],
  [")", ")"],
  ["[", "["],
  ["]", "]"],
  ["|", "|"],
  ["∣", "|"],
]);

export const opening = new Set(["(", "[", "{", "⟨", "〈", "⌊", "⌈", "⟦", "|", "‖", "∣", "∥"]);
export const closing = new Set([")", "]", "}", "⟩", "〉", "⌋", "⌉", "⟧", "|", "‖", "∣", "∥"]);

/** All other characters. */
export const symbols: ReadonlyMap<string, string> = new Map([...pairs(greek), ...pairs(letters)]);

/** Accents over a base, by the character that stands over it: the narrow command and the wide one. */
export const accentsOver: ReadonlyMap<string, readonly [string, string]> = new Map([
  ["^", ["\\hat", "\\widehat"]],
  ["ˆ", ["\\hat", "\\widehat"]],
  ["̂", ["\\hat", "\\widehat"]],
  ["¯", ["\\bar", "\\overline"]],
  ["‾", ["\\bar", "\\overline"]],
  ["ˉ", ["\\bar", "\\overline"]],
  ["_", ["\\bar", "\\overline"]],
  ["―", ["\\bar", "\\overline"]],
  ["̅", ["\\bar", "\\overline"]],
  ["→", ["\\vec", "\\overrightarrow"]],
  ["⃗", ["\\vec", "\\overrightarrow"]],
  ["⇀", ["\\vec", "\\overrightarrow"]],
  ["←", ["\\overleftarrow", "\\overleftarrow"]],
  ["↔", ["\\overleftrightarrow", "\\overleftrightarrow"]],
  ["˙", ["\\dot", "\\dot"]],
  [".", ["\\dot", "\\dot"]],
  ["̇", ["\\dot", "\\dot"]],
  ["¨", ["\\ddot", "\\ddot"]],
  ["̈", ["\\ddot", "\\ddot"]],
  ["~", ["\\tilde", "\\widetilde"]],
  ["˜", ["\\tilde", "\\widetilde"]],
  ["̃", ["\\tilde", "\\widetilde"]],
  ["ˇ", ["\\check", "\\check"]],
  ["˘", ["\\breve", "\\breve"]],
  ["´", ["\\acute", "\\acute"]],
  ["`", ["\\grave", "\\grave"]],
  ["⏞", ["\\overbrace", "\\overbrace"]],
  ["︷", ["\\overbrace", "\\overbrace"]],
]);

export const accentsUnder: ReadonlyMap<string, string> = new Map([
  ["_", "\\underline"],
  ["¯", "\\underline"],
  ["‾", "\\underline"],
  ["̲", "\\underline"],
  ["⏟", "\\underbrace"],
  ["︸", "\\underbrace"],
]);

/** Names that LaTeX has commands for. */
export const functionNames = new Set(
  (
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min " +
    "Pr sec sin sinh sup tan tanh"
  ).split(" "),
);

/** Functions that take their condition below them, as `\lim` does. */
export const limitNames = new Set("lim liminf limsup max min sup inf det gcd Pr".split(" "));
