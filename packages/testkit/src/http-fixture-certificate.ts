import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A self-signed certificate for names, made by the openssl command; `undefined` where it is not installed. */
export function makeCertificate(...names: string[]): Certificate | undefined {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const alternatives = `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}`;
  const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const output = ["-subj", `/CN=${names[0]}`, "-addext", alternatives, "-keyout", key, "-out", cert];
  try {
    const { status } = spawnSync("openssl", [...args, ...output]);
    return status === 0 ? { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") } : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
