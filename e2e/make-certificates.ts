import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Certificates extends Disposable {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export function hasOpenssl(): boolean {
  return spawnSync("openssl", ["version"], { stdio: "ignore" }).status === 0;
}

/** Paths of an authority and of a certificate it signed for localhost, good for servers and clients. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  const path = (name: string): string => join(folder, name);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    path("ca.key"),
    "-out",
    path("ca.pem"),
    "-days",
    "2",
    "-subj",
    "/CN=test authority",
  );
  openssl("req", ...key, "-keyout", path("key.pem"), "-out", path("request.pem"), "-subj", "/CN=localhost");
  writeFileSync(path("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  const authority = ["-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial"];
  openssl(
    "x509",
    "-req",
    "-in",
    path("request.pem"),
    ...authority,
    "-out",
    path("cert.pem"),
    "-days",
    "2",
    "-extfile",
    path("names"),
  );
  return {
    ca: path("ca.pem"),
    cert: path("cert.pem"),
    key: path("key.pem"),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

function openssl(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("openssl", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
}
