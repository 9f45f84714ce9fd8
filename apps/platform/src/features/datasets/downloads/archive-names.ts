import { toSafeName } from "../../../infra/storage/content-disposition.ts";

// What Windows takes for a device, whatever follows the dot.
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** Names of files as an archive may have them on any system: without folders, none twice in any case, in the order given. */
export function toArchiveNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const safe = toSafeName(name).replace(device, "_$&");
    const dot = safe.lastIndexOf(".");
    const [stem, extension] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, ""];
    let free = safe;
    for (let no = 2; taken.has(free.toLowerCase()); no++) free = `${stem} (${no})${extension}`;
    taken.add(free.toLowerCase());
    return free;
  });
}
