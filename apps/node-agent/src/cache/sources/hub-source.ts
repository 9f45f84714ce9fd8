import type { CacheKind, CacheSourceRequest } from "@attune/contracts/compute/cache-api.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import type { CacheSettings } from "../cache-settings.ts";
import type { CacheSource, SourceFile } from "../cache-source.ts";
import { openHttpFile } from "../download/open-http-file.ts";
import type { SourceHttp, SourceRequest } from "../download/source-http.ts";
import { matchPattern } from "../match-pattern.ts";
import { type HubEntry, type HubPort, listHubTree, readHubCommit } from "./hub-api.ts";
import { explainHubAnswer } from "./hub-errors.ts";
import { fingerprint } from "./fingerprint.ts";

type HubRequest = Extract<CacheSourceRequest, { type: "hub" }>;

interface HubDeps {
  readonly kind: CacheKind;
  readonly http: SourceHttp;
  readonly settings: CacheSettings;
}

/**
 * A repository of a hub that speaks the protocol of huggingface.co. The revision is resolved to a commit first, and all files
 * are of that commit. Large files are checked by their sha256, small ones by the name of their git object. The token goes to
 * the configured origin only.
 */
export function createHubSource(request: HubRequest, { kind, http, settings }: HubDeps): CacheSource {
  const { repo_id: repo, revision, include, exclude } = request;
  const endpoint = settings.hubEndpoint;
  const hash = fingerprint({ type: "hub", endpoint, kind, repo, revision, include, exclude });
  const token = request.token === undefined ? settings.hubToken : new Secret(request.token);
  const toRequest = (url: string): SourceRequest => ({
    url,
    isTrusted: true,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token.reveal()}` } }),
  });
  const port: HubPort = { http, settings, toRequest };
  const isWanted = (path: string): boolean =>
    (include.length === 0 || include.some((pattern) => matchPattern(path, pattern))) &&
    !exclude.some((pattern) => matchPattern(path, pattern));
  const isPlain = include.length === 0 && exclude.length === 0;
  const readable = `${repo}-${revision}`.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 90);
  return {
    type: "hub",
    name: `${repo} of ${new URL(endpoint).host}`,
    fingerprint: hash,
    suggestedKey: isPlain ? readable.replace(/\.+$/, "") : `${readable}-${hash.slice(0, 12)}`,
    list: async (signal) => {
      const api = `${endpoint}/api/${kind}s/${repo}`;
      const commit = await readHubCommit(`${api}/revision/${encodeURIComponent(revision)}`, port, signal);
      const tree = `${api}/tree/${commit}?recursive=true`;
      const wanted = { url: tree, endpoint, maxFiles: settings.maxFiles, isWanted };
      const entries = await listHubTree(wanted, port, signal);
      const files = `${endpoint}/${kind === "dataset" ? "datasets/" : ""}${repo}/resolve/${commit}`;
      return { revision: commit, files: entries.map((entry) => toFile(entry, files, port)) };
    },
  };
}

function toFile({ path, sizeBytes, sha256, gitOid }: HubEntry, folder: string, port: HubPort): SourceFile {
  const url = `${folder}/${path.split("/").map(encodeURIComponent).join("/")}`;
  const file = { http: port.http, request: port.toRequest(url), sizeBytes, explain: explainHubAnswer };
  return { path, sizeBytes, sha256, gitOid, open: (part, signal) => openHttpFile(file, part, signal) };
}
