/** SIGKILL to a process that leads a group, and to its group. One that is already gone is no error. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  for (const target of process.platform === "win32" ? [pid] : [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It has ended, which is what was wanted.
    }
  }
}
