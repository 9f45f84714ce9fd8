import { useNavigate, useRouterState } from "@tanstack/react-router";
import { Layout, Menu, Typography } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { usePreferences } from "../lib/preferences.tsx";
import { useVisiblePages } from "./use-visible-pages.ts";
import type { NavGroup } from "./pages.tsx";

const groups: readonly NavGroup[] = ["data", "people", "platform"];

export function LeftRail() {
  const { t } = useTranslation();
  const { theme } = usePreferences();
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const visible = useVisiblePages();
  const [isNarrow, setIsNarrow] = useState(false);
  const items = groups
    .map((group) => ({
      key: group,
      type: "group" as const,
      label: isNarrow ? null : t(`nav.${group}`),
      children: visible
        .filter((page) => page.group === group)
        .map((page) => ({ key: page.path, icon: page.icon, label: t(`nav.${page.name}`) })),
    }))
    .filter(({ children }) => children.length > 0);
  const selected = visible.find((page) => path.startsWith(page.path))?.path;
  return (
    <Layout.Sider
      theme={theme}
      breakpoint="lg"
      collapsedWidth={56}
      width={216}
      collapsible
      collapsed={isNarrow}
      trigger={null}
      onCollapse={setIsNarrow}
    >
      <Typography.Text strong style={{ display: "block", padding: "18px 24px 10px", fontSize: 18 }}>
        {isNarrow ? t("app.name").slice(0, 1) : t("app.name")}
      </Typography.Text>
      <nav aria-label={t("app.navigation")}>
        <Menu
          mode="inline"
          theme={theme}
          items={items}
          selectedKeys={selected === undefined ? [] : [selected]}
          onClick={({ key }) => void navigate({ to: key })}
          style={{ borderInlineEnd: "none" }}
        />
      </nav>
    </Layout.Sider>
  );
}
