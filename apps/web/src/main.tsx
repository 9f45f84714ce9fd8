import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { setupI18n } from "./lib/i18n/setup-i18n.ts";
import { firstLanguage } from "./lib/preferences.tsx";
import "./main.css";

await setupI18n(firstLanguage());
const root = document.getElementById("root");
if (root === null) throw new Error("The page has no #root.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
