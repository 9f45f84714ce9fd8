import { GlobalOutlined, MoonOutlined, SearchOutlined, SunOutlined, UserOutlined } from "@ant-design/icons";
import { Button, Dropdown, Flex, Layout, Modal, Select, theme as antdTheme } from "antd";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { PasswordForm } from "../features/session/index.ts";
import { usePreferences } from "../lib/preferences.tsx";
import { useSession } from "../lib/session.tsx";
import { useSignOut } from "./use-sign-out.tsx";

const RunningTray = lazy(async () => ({ default: (await import("../features/jobs/index.ts")).RunningTray }));

export function TopBar({ onPalette }: { readonly onPalette: () => void }) {
  const { t } = useTranslation();
  const { token } = antdTheme.useToken();
  const { theme, language, setTheme, setLanguage } = usePreferences();
  const { session, tenant, chooseTenant } = useSession();
  return (
    <Layout.Header
      style={{
        background: token.colorBgContainer,
        borderBottom: `1px solid ${token.colorBorderSecondary}`,
        padding: "0 16px 0 24px",
      }}
    >
      <Flex align="center" gap={8} style={{ height: "100%" }}>
        <Select
          aria-label={t("app.tenant")}
          value={tenant?.id ?? null}
          placeholder={t("app.noTenant")}
          options={session?.tenants.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          onChange={chooseTenant}
          style={{ minWidth: 160 }}
        />
        <div style={{ flex: 1 }} />
        {tenant !== undefined && (
          <Suspense fallback={null}>
            <RunningTray />
          </Suspense>
        )}
        <Button icon={<SearchOutlined />} aria-label={t("app.commands")} onClick={onPalette}>
          <span className="wide-only">
            {t("app.commands")} <kbd>Ctrl K</kbd>
          </span>
        </Button>
        <Button
          type="text"
          icon={<GlobalOutlined />}
          aria-label={t("app.language")}
          onClick={() => setLanguage(language === "en" ? "zh" : "en")}
        >
          <span className="wide-only">{language === "en" ? "中文" : "English"}</span>
        </Button>
        <Button
          type="text"
          icon={theme === "dark" ? <SunOutlined /> : <MoonOutlined />}
          aria-label={t(theme === "dark" ? "app.light" : "app.dark")}
          onClick={() => setTheme(theme === "dark" ? "light" : "dark")}
        />
        <UserMenu />
      </Flex>
    </Layout.Header>
  );
}

function UserMenu() {
  const { t } = useTranslation();
  const { session } = useSession();
  const signOut = useSignOut();
  const [isChanging, setIsChanging] = useState(false);
  const email = session?.user.email ?? "";
  return (
    <>
      <Dropdown
        trigger={["click"]}
        menu={{
          items: [
            { key: "password", label: t("app.changePassword"), onClick: () => setIsChanging(true) },
            { key: "out", label: t("app.signOut"), onClick: signOut },
          ],
        }}
      >
        <Button type="text" icon={<UserOutlined />} aria-label={email}>
          <span className="wide-only">{email}</span>
        </Button>
      </Dropdown>
      <Modal
        open={isChanging}
        title={t("app.changePassword")}
        footer={null}
        onCancel={() => setIsChanging(false)}
        destroyOnHidden
      >
        <PasswordForm onDone={() => setIsChanging(false)} />
      </Modal>
    </>
  );
}
