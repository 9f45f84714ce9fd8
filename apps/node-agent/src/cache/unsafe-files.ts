import { AppError } from "@attune/service-kit/app-error.ts";
import { shown } from "./check-file-list.ts";

/**
 * Types whose usual loaders run what they hold: pickle in all its spellings (PyTorch, joblib, scikit-learn), and Keras files,
 * which can hold code. Only names are judged: a pickle that calls itself `.safetensors` is not loaded as pickle.
 */
const unsafeEndings = [
  ".bin",
  ".pt",
  ".pth",
  ".ckpt",
  ".pkl",
  ".pickle",
  ".joblib",
  ".dill",
  ".pyc",
  ".mar",
  ".h5",
  ".hdf5",
  ".keras",
];

const isUnsafe = (path: string): boolean => unsafeEndings.some((ending) => path.toLowerCase().endsWith(ending));

export interface JudgedFiles<T> {
  readonly kept: readonly T[];
  /** Paths that were left out. */
  readonly skipped: readonly string[];
}

/** @throws AppError `CACHE_FILE_TYPE_UNSAFE` naming the files when they are neither left out nor allowed. */
export function judgeFileTypes<T extends { readonly path: string }>(
  files: readonly T[],
  policy: "refuse" | "skip" | "allow",
): JudgedFiles<T> {
  const unsafe = files.filter(({ path }) => isUnsafe(path)).map(({ path }) => path);
  if (policy === "allow" || unsafe.length === 0) return { kept: files, skipped: [] };
  if (policy === "skip") return { kept: files.filter(({ path }) => !isUnsafe(path)), skipped: unsafe };
  const more = unsafe.length > 5 ? ` and ${unsafe.length - 5} more` : "";
  throw new AppError("CACHE_FILE_TYPE_UNSAFE", {
    detail: `They are ${unsafe.slice(0, 5).map(shown).join(", ")}${more}.`,
  });
}
