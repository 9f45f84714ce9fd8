import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type FakeFileHost, startFakeFileHost } from "./fake-file-host.ts";
import { type HttpFixture, startHttpFixture } from "./http-fixture.ts";

/*
 * A hub that speaks the part of huggingface.co's HTTP API that downloads need: the commit of a revision, the tree of a commit
 * in pages, and `resolve`, which serves small files itself and sends those of Git LFS to a CDN on another host. Refusals carry
 * `X-Error-Code`, as huggingface_hub 1.x and 2.x read it. A test runs that client against it.
 */

export interface FakeHubRepo {
  readonly kind: "model" | "dataset";
  /** `owner/name` */
  readonly id: string;
  /** Files by path; those in `lfs` lie at the CDN. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly lfs: readonly string[];
  /** Only who has the token may know of it. */
  readonly isPrivate?: boolean;
  /** It is known to all, and given to none. */
  readonly isGated?: boolean;
}

export interface FakeHub extends AsyncDisposable {
  readonly endpoint: string;
  readonly hub: HttpFixture;
  readonly cdn: FakeFileHost;
  /** Commits a repository anew, on its branch `main`. */
  commit(repo: FakeHubRepo): string;
  /** The next `times` requests to the hub itself are answered so. */
  failNext(status: number, headers?: Readonly<Record<string, string>>, times?: number): void;
}

export interface FakeHubOptions {
  readonly token?: string;
  /** Entries of one page of a tree. */
  readonly pageSize?: number;
}

interface Commit extends FakeHubRepo {
  readonly sha: string;
}

interface HubState {
  readonly options: FakeHubOptions;
  /** By `models/owner/name` and revision. */
  readonly commits: Map<string, Commit>;
  readonly failures: { readonly status: number; readonly headers: Readonly<Record<string, string>> }[];
  origin: string;
  readonly cdn: FakeFileHost;
}

export async function startFakeHub(options: FakeHubOptions = {}): Promise<FakeHub> {
  const cdn = await startFakeFileHost({ host: "127.0.0.2" });
  const state: HubState = { options, commits: new Map(), failures: [], origin: "", cdn };
  const hub = await startHttpFixture((request, response) => answer(state, request, response));
  state.origin = hub.origin;
  return {
    endpoint: hub.origin,
    hub,
    cdn,
    commit: (repo) => addCommit(state, repo),
    failNext: (status, headers = {}, times = 1) => {
      for (let time = 0; time < times; time++) state.failures.push({ status, headers });
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([hub[Symbol.asyncDispose](), cdn[Symbol.asyncDispose]()]);
    },
  };
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const gitOid = (bytes: Uint8Array): string =>
  createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");

function addCommit({ commits, cdn }: HubState, repo: FakeHubRepo): string {
  const content = Object.entries(repo.files).map(([path, bytes]) => [path, sha256(bytes)]);
  const sha = createHash("sha1")
    .update(JSON.stringify([repo.id, content]))
    .digest("hex");
  for (const revision of ["main", sha]) commits.set(`${repo.kind}s/${repo.id}@${revision}`, { ...repo, sha });
  for (const path of repo.lfs) cdn.put(`repos/${sha256(bytesOf(repo, path))}`, bytesOf(repo, path));
  return sha;
}

function bytesOf(repo: FakeHubRepo, path: string): Uint8Array {
  const bytes = repo.files[path];
  if (bytes === undefined) throw new Error(`no file ${path}`);
  return bytes;
}

function answer(state: HubState, request: IncomingMessage, response: ServerResponse): void {
  const failure = state.failures.shift();
  if (failure !== undefined) return void response.writeHead(failure.status, failure.headers).end("failed");
  const url = new URL(request.url ?? "/", state.origin);
  const asked = parsePath(decodeURIComponent(url.pathname));
  if (asked === undefined) return refuse(response, 404, "RepoNotFound");
  const { what, repo, revision, path = "" } = asked;
  const commit = findCommit(state, { repo, revision, request }, response);
  if (commit === undefined) return;
  if (what === "revision") return sendInfo(commit, response);
  if (what === "tree") return sendTree(state, { commit, url }, response);
  sendFile(state, { commit, path, request }, response);
}

interface Asked {
  readonly what: string;
  readonly repo: string;
  readonly revision: string;
  readonly path?: string;
}

function parsePath(path: string): Asked | undefined {
  const api = /^\/api\/((?:model|dataset)s\/[^/]+\/[^/]+)\/(revision|tree)\/([^/]+)$/.exec(path);
  if (api !== null) {
    const [, repo = "", what = "", revision = ""] = api;
    return { what, repo, revision };
  }
  const file = /^\/(datasets\/)?([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(path);
  if (file === null) return undefined;
  const [, folder = "models/", id = "", revision = "", filePath = ""] = file;
  return { what: "resolve", repo: folder + id, revision, path: filePath };
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "x-error-code": code, "x-error-message": code, "content-type": "application/json" });
  response.end(JSON.stringify({ error: code }));
}

interface Wanted {
  readonly repo: string;
  readonly revision: string;
  readonly request: IncomingMessage;
}

// The hub answers 401 for what a caller without a token may not know of, whether it exists or not.
function findCommit(
  state: HubState,
  { repo, revision, request }: Wanted,
  response: ServerResponse,
): Commit | undefined {
  const any = state.commits.get(`${repo}@main`);
  const isKnown = request.headers.authorization === `Bearer ${state.options.token ?? ""}`;
  if (any === undefined || (any.isPrivate === true && !isKnown)) {
    refuse(response, isKnown ? 404 : 401, "RepoNotFound");
    return undefined;
  }
  const commit = state.commits.get(`${repo}@${revision}`);
  if (commit === undefined) refuse(response, 404, "RevisionNotFound");
  else if (commit.isGated === true && request.url?.includes("/resolve/") === true) {
    refuse(response, isKnown ? 403 : 401, "GatedRepo");
    return undefined;
  }
  return commit;
}

function sendInfo({ id, sha, files, isPrivate = false, isGated = false }: Commit, response: ServerResponse): void {
  const siblings = Object.keys(files).map((rfilename) => ({ rfilename }));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ _id: sha.slice(0, 24), id, sha, private: isPrivate, gated: isGated, siblings }));
}

interface TreeRequest {
  readonly commit: Commit;
  readonly url: URL;
}

function sendTree({ options, origin }: HubState, { commit, url }: TreeRequest, response: ServerResponse): void {
  const all = toTree(commit);
  const { pageSize = 1000 } = options;
  const from = Number(url.searchParams.get("cursor") ?? 0);
  const next = new URL(url.pathname + url.search, origin);
  next.searchParams.set("cursor", String(from + pageSize));
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    ...(from + pageSize < all.length && { link: `<${next.href}>; rel="next"` }),
  });
  response.end(JSON.stringify(all.slice(from, from + pageSize)));
}

function toTree({ files, lfs }: Commit): object[] {
  const folders = new Set(Object.keys(files).flatMap((path) => foldersOf(path)));
  return [
    ...[...folders].map((path) => ({ type: "directory", oid: gitOid(Buffer.from(path)), size: 0, path })),
    ...Object.entries(files).map(([path, bytes]) => {
      if (!lfs.includes(path)) return { type: "file", oid: gitOid(bytes), size: bytes.length, path };
      const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(bytes)}\nsize ${bytes.length}\n`;
      const large = { oid: sha256(bytes), size: bytes.length, pointerSize: pointer.length };
      return { type: "file", oid: gitOid(Buffer.from(pointer)), size: bytes.length, lfs: large, path };
    }),
  ];
}

function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_name, depth) => names.slice(0, depth + 1).join("/"));
}

interface FileRequest {
  readonly commit: Commit;
  readonly path: string;
  readonly request: IncomingMessage;
}

function sendFile({ cdn }: HubState, { commit, path, request }: FileRequest, response: ServerResponse): void {
  const bytes = commit.files[path];
  if (bytes === undefined) return refuse(response, 404, "EntryNotFound");
  const headers = { "x-repo-commit": commit.sha, "accept-ranges": "bytes" };
  if (commit.lfs.includes(path)) {
    const hash = sha256(bytes);
    const linked = { "x-linked-etag": `"${hash}"`, "x-linked-size": String(bytes.length) };
    const location = `${cdn.urlOf(`repos/${hash}`)}?Expires=1&Signature=signed`;
    return void response.writeHead(302, { ...headers, ...linked, location }).end();
  }
  const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? "");
  const start = asked === null ? 0 : Number(asked[1]);
  const range = { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
  const length = { etag: `"${gitOid(bytes)}"`, "content-length": String(bytes.length - start) };
  response.writeHead(asked === null ? 200 : 206, { ...headers, ...length, ...(asked !== null && range) });
  response.end(request.method === "HEAD" ? undefined : bytes.subarray(start));
}
