import { execFile } from "node:child_process";

const timeoutMs = 60_000;

/** The first number with dots in what a program says of its version, or why it cannot be started and what to do. */
export function askVersion(program: string, args: readonly string[]): Promise<{ readonly version: string } | string> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout: timeoutMs, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
      const said = `${stdout}\n${stderr}`.trim();
      if (error !== null) {
        const { code } = error;
        resolve(
          code === "ENOENT" ? `${program} is not there; correct its path.` : `${program} failed: ${said.slice(-300)}`,
        );
      } else resolve({ version: /\d+(\.\d+)+\S*|\b\d{3,}\b/.exec(said)?.[0] ?? "unknown" });
    });
  });
}
