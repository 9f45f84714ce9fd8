import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import type { Texts } from "./en.ts";

const texts: Readonly<Record<string, () => Promise<Texts>>> = {
  en: async () => (await import("./en.ts")).en,
  zh: async () => (await import("./zh.ts")).zh,
};

/** Loads the texts of the first language; those of the other one come when it is chosen. */
export async function setupI18n(language: string): Promise<void> {
  await i18next.use(initReactI18next).init({
    resources: {},
    lng: language,
    fallbackLng: false,
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  await chooseLanguage(language);
}

/** Shows the page in a language as soon as its texts are there; until then it stays as it is. */
export async function chooseLanguage(language: string): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) {
    const loaded = await texts[language]?.();
    if (loaded !== undefined) i18next.addResourceBundle(language, "translation", loaded);
  }
  await i18next.changeLanguage(language);
}
