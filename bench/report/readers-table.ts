import { execFileSync } from "node:child_process";
import { labelOf, type Peer } from "../peers/peer.ts";
import { renderTable } from "./table.ts";

// When the run begins: what is committed meanwhile was not measured.
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();

/** Who took part, as what, and who did not and why. */
export function renderReaders(peers: readonly Peer[]): string {
  const rows = peers.map((peer) => {
    const part = peer.missing === undefined ? (peer.limits ?? "yes") : `no: ${peer.missing}`;
    return [labelOf(peer), peer.licence, peer.settings, part];
  });
  return renderTable(["Reader", "Licence", "Asked for", "Takes part"], rows);
}

/** The sentence under a report's title: command, date and versions. */
export function renderOrigin(script: string): string {
  const given = process.argv.slice(2).join(" ");
  const command = [script, ...(given !== "" && script.startsWith("npm") ? ["--"] : []), given].join(" ").trim();
  const date = new Date().toISOString().slice(0, 10);
  return `Written by \`${command}\` on ${date}, of commit ${commit}, with Node ${process.versions.node} on ${process.platform} ${process.arch}.`;
}
