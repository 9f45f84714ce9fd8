import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { App as AntdApp, ConfigProvider, theme as antdTheme } from "antd";
import enUS from "antd/locale/en_US";
import zhCN from "antd/locale/zh_CN";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { EntryPage, PasswordForm, SignInPage } from "../features/session/index.ts";
import { createQueryClient } from "../lib/create-query-client.ts";
import { PreferencesProvider, usePreferences } from "../lib/preferences.tsx";
import { SessionProvider, useSession } from "../lib/session.tsx";
import { router } from "./router.tsx";
import { Loading } from "./shell.tsx";

// Ant Design's own faint texts have too little contrast to be read by everybody.
const readable = {
  light: {
    ...faintTexts("rgba(0, 0, 0, 0.66)", "#3a3a3a"),
    colorLink: "#2f54eb",
    colorError: "#cf1322",
    colorSuccess: "#237804",
    colorSuccessBg: "#f6ffed",
    colorSuccessBorder: "#b7eb8f",
    colorWarning: "#ad4e00",
    colorWarningBg: "#fffbe6",
    colorWarningBorder: "#ffe58f",
  },
  dark: { ...faintTexts("rgba(255, 255, 255, 0.75)", "#d0d0d0"), colorLink: "#8ea6ff", colorError: "#ff7875" },
};
// A button that is pointed at gets darker, so that its white text stays readable.
const components = {
  light: { Button: { colorPrimaryHover: "#1d39c4" } },
  dark: {
    Button: { colorPrimaryHover: "#1d39c4", defaultHoverColor: "#8ea6ff", defaultHoverBorderColor: "#8ea6ff" },
    Layout: { siderBg: "#141414" },
    Menu: { darkItemBg: "#141414" },
    Tabs: { itemSelectedColor: "#8ea6ff", itemHoverColor: "#8ea6ff", itemActiveColor: "#8ea6ff" },
  },
};

/** Whether the user asked their system for less motion. */
const wantsStillness = matchMedia("(prefers-reduced-motion: reduce)").matches;

function faintTexts(faint: string, disabled: string) {
  return {
    colorTextSecondary: faint,
    colorTextTertiary: faint,
    colorTextDescription: faint,
    colorTextPlaceholder: faint,
    colorTextDisabled: disabled,
  };
}

export function App() {
  return (
    <PreferencesProvider>
      <SessionProvider>
        <Themed />
      </SessionProvider>
    </PreferencesProvider>
  );
}

function Themed() {
  const { theme, language } = usePreferences();
  const { session } = useSession();
  const algorithm = theme === "dark" ? antdTheme.darkAlgorithm : antdTheme.defaultAlgorithm;
  return (
    <ConfigProvider
      locale={language === "zh" ? zhCN : enUS}
      theme={{
        algorithm,
        token: { colorPrimary: "#2f54eb", borderRadius: 6, motion: !wantsStillness, ...readable[theme] },
        components: components[theme],
      }}
    >
      <AntdApp>
        <OneUsersAnswers key={session?.user.id ?? ""} />
      </AntdApp>
    </ConfigProvider>
  );
}

/** What was fetched for one user is gone with them; who signs in again after the session's end finds all as it was. */
function OneUsersAnswers() {
  const { expire } = useSession();
  const [client] = useState(() => createQueryClient(() => expire()));
  return (
    <QueryClientProvider client={client}>
      <Entry />
    </QueryClientProvider>
  );
}

/** The sign-in, the choice of a password, or the app. */
function Entry() {
  const { t } = useTranslation();
  const { status, session, error, reload } = useSession();
  const { token } = antdTheme.useToken();
  return (
    <div style={{ background: token.colorBgLayout, color: token.colorText, minHeight: "100vh" }}>
      {status === "loading" && <Loading />}
      {status === "unreachable" && (
        <EntryPage title={t("app.name")}>
          <ProblemNotice error={error} onRetry={() => location.reload()} />
        </EntryPage>
      )}
      {status === "signed_out" && <SignInPage />}
      {status === "signed_in" && session?.must_change_password === true && (
        <EntryPage title={t("session.chooseTitle")}>
          <p>{t("session.chooseWhy")}</p>
          <PasswordForm onDone={() => void reload()} />
        </EntryPage>
      )}
      {status === "signed_in" && session?.must_change_password === false && <RouterProvider router={router} />}
    </div>
  );
}
