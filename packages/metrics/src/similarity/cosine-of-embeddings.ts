import { MetricError } from "../metric-error.ts";

/**
 * Cosine similarity of two embeddings, from −1 to 1; a vector of zeros is like none (0, as in scikit-learn). Embeddings of
 * real models lie in a narrow band: compare scores only of one model. Throws `unequal_lengths` for vectors of different or of
 * no dimensions, `not_finite`.
 */
export function cosineOfEmbeddings(one: ArrayLike<number>, other: ArrayLike<number>): number {
  if (one.length !== other.length || one.length === 0) {
    throw new MetricError(
      "unequal_lengths",
      `The embeddings have ${one.length} and ${other.length} dimensions. Both must come from the same model.`,
    );
  }
  const [scale, otherScale] = [greatest(one), greatest(other)];
  if (scale === 0 || otherScale === 0) return 0;
  let [product, squares, otherSquares] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    // Scaled, so that no square overflows or vanishes.
    const [a, b] = [(one[at] as number) / scale, (other[at] as number) / otherScale];
    product += a * b;
    squares += a * a;
    otherSquares += b * b;
  }
  return Math.max(-1, Math.min(1, product / Math.sqrt(squares * otherSquares)));
}

function greatest(vector: ArrayLike<number>): number {
  let most = 0;
  for (let at = 0; at < vector.length; at++) {
    const value = vector[at];
    if (!Number.isFinite(value)) {
      throw new MetricError("not_finite", `Value ${at} of an embedding is ${value}, which is not a finite number.`);
    }
    most = Math.max(most, Math.abs(value as number));
  }
  return most;
}
