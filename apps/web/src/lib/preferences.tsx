import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { chooseLanguage } from "./i18n/setup-i18n.ts";

export type Theme = "light" | "dark";
export type Language = "en" | "zh";

interface Preferences {
  readonly theme: Theme;
  readonly language: Language;
  readonly setTheme: (theme: Theme) => void;
  readonly setLanguage: (language: Language) => void;
}

const PreferencesContext = createContext<Preferences | undefined>(undefined);

export function usePreferences(): Preferences {
  const preferences = useContext(PreferencesContext);
  if (preferences === undefined) throw new Error("usePreferences is used outside of PreferencesProvider.");
  return preferences;
}

const themeKey = "attune.theme";
const languageKey = "attune.language";

const firstTheme = (): Theme => {
  const kept = localStorage.getItem(themeKey);
  if (kept === "light" || kept === "dark") return kept;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
};

export const firstLanguage = (): Language => {
  const kept = localStorage.getItem(languageKey);
  if (kept === "en" || kept === "zh") return kept;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
};

/** What the user chose for this browser: theme and language. */
export function PreferencesProvider({ children }: { readonly children: ReactNode }) {
  const [theme, setTheme] = useState(firstTheme);
  const [language, setLanguage] = useState(firstLanguage);
  useEffect(() => {
    localStorage.setItem(languageKey, language);
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
    void chooseLanguage(language);
  }, [language]);
  useEffect(() => {
    localStorage.setItem(themeKey, theme);
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const value = useMemo(() => ({ theme, language, setTheme, setLanguage }), [theme, language]);
  return <PreferencesContext value={value}>{children}</PreferencesContext>;
}
