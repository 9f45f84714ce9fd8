// One line: the character, then the names of the macros that stand for it, without the backslash.
const table = `
α alpha
β beta
γ gamma
δ delta
ε epsilon varepsilon
ζ zeta
η eta
θ theta
ϑ vartheta
ι iota
κ kappa
λ lambda
μ mu
ν nu
ξ xi
π pi
ρ rho
σ sigma
ς varsigma
τ tau
υ upsilon
φ phi varphi
χ chi
ψ psi
ω omega
Γ Gamma
Δ Delta
Θ Theta
Λ Lambda
Ξ Xi
Π Pi
Σ Sigma
Υ Upsilon
Φ Phi
Ψ Psi
Ω Omega
ß ss
æ ae
Æ AE
œ oe
Œ OE
ø o
Ø O
å aa
Å AA
ł l
Ł L
ı i imath
ȷ j jmath
đ dj
Đ DJ
ð dh
Ð DH
þ th
Þ TH
ŋ ng
… dots ldots textellipsis
– textendash endash
— textemdash emdash
‘ textquoteleft lq
’ textquoteright rq
“ textquotedblleft
” textquotedblright
„ quotedblbase glqq
‚ quotesinglbase
« guillemotleft flqq
» guillemotright frqq
¡ textexclamdown
¿ textquestiondown
§ S textsection
¶ P textparagraph
† dag dagger textdagger
‡ ddag ddagger textdaggerdbl
© copyright textcopyright
® textregistered
™ texttrademark
£ pounds textsterling
€ euro texteuro EUR
¥ textyen yen
¢ textcent
° textdegree degree degrees
× times texttimes
÷ div
± pm textpm
· cdot textperiodcentered
• bullet textbullet
→ rightarrow to textrightarrow
← leftarrow textleftarrow
⇒ Rightarrow
⇔ Leftrightarrow
↔ leftrightarrow
≤ le leq
≥ ge geq
≠ ne neq
≈ approx
∞ infty
∈ in
∀ forall
∃ exists
∂ partial
∇ nabla
∑ sum
∏ prod
√ surd
✓ checkmark
† textdied
\\ textbackslash
~ textasciitilde
^ textasciicircum
_ textunderscore
| textbar
< textless
> textgreater
{ textbraceleft lbrace
} textbraceright rbrace
$ textdollar
µ textmu
½ textonehalf
¼ textonequarter
№ textnumero
º textordmasculine
ª textordfeminine
`;

const symbols: ReadonlyMap<string, string> = new Map(
  table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [symbol = "", ...names] = line.split(" ");
      return names.map((name) => [name, symbol] as const);
    }),
);

/** The character that a macro of LaTeX without arguments stands for, `\alpha` or `\ldots`; the name comes without backslash. */
export function latexSymbol(name: string): string | undefined {
  return symbols.get(name);
}
