import { join } from "node:path";
import { loadSync, type PackageDefinition } from "@grpc/proto-loader";

/** The definition of `docparser.DocumentParser`, from the published proto; field names as on the wire. */
export function loadDocparser(): PackageDefinition {
  return loadSync(join(import.meta.dirname, "docparser.proto"), { keepCase: true, defaults: true, longs: Number });
}
