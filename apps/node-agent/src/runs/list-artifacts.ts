import { isEnded, type ArtifactView } from "@attune/contracts/compute/run-record.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { faultOf, findArtifact, hashFile } from "./check-results.ts";
import type { RunPaths } from "./run-paths.ts";
import type { StoredRun } from "./stored-run.ts";

/**
 * What a run made, as it said when it wrote it, looked at again once it has ended.
 * @throws AppError RUN_ARTIFACT_CHANGED when a file is gone or has another size; with `isHashed` also when its content differs.
 */
export async function listArtifacts(
  { heard, state }: StoredRun,
  { paths, isHashed }: { readonly paths: RunPaths; readonly isHashed: boolean },
  signal: AbortSignal,
): Promise<readonly ArtifactView[]> {
  if (!isEnded(state)) return heard.artifacts;
  for (const artifact of heard.artifacts) {
    const fault = (await faultOf(artifact, paths)) ?? (isHashed ? await contentFault(artifact, paths, signal) : null);
    if (fault !== null) throw new AppError("RUN_ARTIFACT_CHANGED", { detail: fault });
  }
  return heard.artifacts;
}

async function contentFault(artifact: ArtifactView, paths: RunPaths, signal: AbortSignal): Promise<string | null> {
  const file = await findArtifact(artifact.path, paths);
  if (file === undefined) return `${artifact.path} is gone.`;
  return (await hashFile(file, signal)) === artifact.checksum_sha256 ? null : `${artifact.path} has another content.`;
}
