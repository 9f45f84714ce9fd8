import { Outlet } from "@tanstack/react-router";
import { Alert, Empty, Flex, Layout, Modal, Spin } from "antd";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { SignInForm } from "../features/session/index.ts";
import { useSession } from "../lib/session.tsx";
import { useLiveUpdates } from "../lib/use-live-updates.ts";
import { CommandPalette } from "./command-palette.tsx";
import { LeftRail } from "./left-rail.tsx";
import { TopBar } from "./top-bar.tsx";

/** The frame of every page: rail, bar, content, and the sign-in that comes back over a page whose session has ended. */
export function Shell() {
  const { t } = useTranslation();
  const { tenant, session, isExpired } = useSession();
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const isConnectionLost = useLiveUpdates();
  return (
    <Layout style={{ minHeight: "100vh" }}>
      <a href="#content" className="skip-link">
        {t("app.skip")}
      </a>
      <LeftRail />
      <Layout>
        <TopBar onPalette={() => setIsPaletteOpen(true)} />
        {isConnectionLost && <Alert banner role="status" type="warning" title={t("app.connectionLost")} />}
        <Layout.Content id="content" tabIndex={-1} style={{ padding: 24, outline: "none" }}>
          {tenant === undefined ? (
            <Empty
              description={
                <>
                  <p>{t("session.noTenantTitle")}</p>
                  <p>{t("session.noTenantHint", { email: session?.user.email })}</p>
                </>
              }
            />
          ) : (
            <Suspense fallback={<Loading />}>
              <Outlet />
            </Suspense>
          )}
        </Layout.Content>
      </Layout>
      <CommandPalette isOpen={isPaletteOpen} onChange={setIsPaletteOpen} />
      <Modal open={isExpired} title={t("session.title")} footer={null} closable={false} mask={{ closable: false }}>
        <p>{t("session.expired")}</p>
        <SignInForm />
      </Modal>
    </Layout>
  );
}

export function Loading() {
  const { t } = useTranslation();
  return (
    <Flex justify="center" align="center" style={{ minHeight: 240 }} aria-busy aria-label={t("common.loading")}>
      <Spin />
    </Flex>
  );
}
