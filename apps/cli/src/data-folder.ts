import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the parts of the data folder lie. */
export interface DataFolder {
  readonly folder: string;
  /** Says that the folder is Attune's; only such a one is ever deleted. */
  readonly marker: string;
  readonly lock: string;
  readonly database: string;
  /** Of the node agent. */
  readonly node: string;
  /** What the node agent asks its callers for, where no setting says it. */
  readonly nodeToken: string;
}

export function dataFolderAt(folder: string): DataFolder {
  return {
    folder,
    marker: join(folder, "attune-data.txt"),
    lock: join(folder, "attune.lock"),
    database: join(folder, "postgres"),
    node: join(folder, "node"),
    nodeToken: join(folder, "node-agent.token"),
  };
}

const markerText = "All data of one Attune. `npm run attune reset` deletes this folder.\n";

/** Makes the folder, for this user alone. A folder that holds other things already is used, but never deleted as a whole. */
export function makeDataFolder({ folder, marker }: DataFolder): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(marker) && readdirSync(folder).length === 0) writeFileSync(marker, markerText);
}
