import { convertFiles } from "../peers/convert-files.ts";
import { labelOf } from "../peers/peer.ts";
import { findPeers } from "../peers/peers.ts";

/** A program that turns office files and web pages into a format our readers read. */
export interface OfficePeer {
  readonly name: string;
  readonly format: "html" | "markdown";
  /** Text for each file that it could read, by path. */
  convert(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Those of the peers named that are there; of the others it is said why they take no part. */
export function officePeers(ids: readonly string[]): OfficePeer[] {
  return findPeers().flatMap((peer) => {
    if (!ids.includes(peer.id)) return [];
    if (peer.missing !== undefined) {
      console.error(`${labelOf(peer)} takes no part: ${peer.missing}`);
      return [];
    }
    if (peer.limits !== undefined) console.error(`${labelOf(peer)}: ${peer.limits}`);
    const format = peer.output === "html" ? "html" : "markdown";
    return [{ name: labelOf(peer), format, convert: async (paths) => textsOf(await convertFiles(peer, paths)) }];
  });
}

function textsOf(answers: Awaited<ReturnType<typeof convertFiles>>): ReadonlyMap<string, string> {
  return new Map([...answers].flatMap(([path, { text }]) => (text === undefined ? [] : [[path, text] as const])));
}
