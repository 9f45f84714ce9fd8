import { spawn } from "node:child_process";
import type { ClusterFiles } from "./cluster-files.ts";
import { markOf } from "./process-mark.ts";
import { serverEnvironment } from "./server-environment.ts";

/**
 * Starts a small shell process that ends the server once every process that entered itself as its user is gone, however
 * it went. It follows the rules of server-users.ts, outlives whoever started it, and ends with the server.
 */
export function guardServer(pid: number, { users }: ClusterFiles): void {
  const args = ["-c", guardScript, "attune-postgres-guard", markOf(pid), users];
  const guard = spawn("/bin/sh", args, { cwd: "/", env: serverEnvironment, stdio: "ignore", detached: true });
  // Without it the server runs on after a kill, and the next start takes it over.
  guard.on("error", () => undefined);
  guard.unref();
}

// The fields of /proc/<pid>/stat after the name: the state is the first, the start the twentieth. An unread field is no
// reason to end a server, so without /proc the number alone counts.
const guardScript = `
server=$1 users=$2
lives() {
  pid=\${1%%-*} rest=\${1#*-} start=\${rest%%-*}
  [ -r /proc/self/stat ] || { kill -0 "$pid" 2>/dev/null; return; }
  read -r stat 2>/dev/null <"/proc/$pid/stat" || return 1
  set -- \${stat##*) }
  [ "$1" != Z ] && [ "\${20}" = "$start" ]
}
while sleep 1; do
  lives "$server" || exit 0
  for file in "$users"/*; do
    [ -e "$file" ] && ! lives "\${file##*/}" && rm -f "$file"
  done
  rmdir "$users" 2>/dev/null
  [ -d "$users" ] || kill -INT "\${server%%-*}"
done
`;
