import { Card, Flex, Typography } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { OidcProblem } from "./oidc-problem.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/** The frame of pages before one is signed in. */
export function EntryPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Flex
      component="main"
      vertical
      align="center"
      justify="center"
      style={{ minHeight: "100vh", boxSizing: "border-box", padding: 16 }}
    >
      <Card style={{ width: "100%", maxWidth: 400 }}>
        <Typography.Title level={1} style={{ fontSize: 22, marginTop: 0 }}>
          {title}
        </Typography.Title>
        {children}
      </Card>
    </Flex>
  );
}

export function SignInPage() {
  const { t } = useTranslation();
  return (
    <EntryPage title={t("session.title")}>
      <OidcProblem />
      <SignInForm />
    </EntryPage>
  );
}
