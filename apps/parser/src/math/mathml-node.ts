/** An element of MathML, its name without prefix. */
export interface MathmlNode {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (MathmlNode | string)[];
}
