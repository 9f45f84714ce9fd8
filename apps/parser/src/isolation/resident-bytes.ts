/** Resident bytes of this process; the peak, where the sandbox hides the current figure. */
export function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
