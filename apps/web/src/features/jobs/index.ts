export { JobsPage } from "./jobs-page.tsx";
export { RunningTray } from "./running-tray.tsx";
