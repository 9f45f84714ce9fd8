import { App } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { useSession } from "../lib/session.tsx";

/** Signs out; where the platform could not be told, it says that the session goes on. */
export function useSignOut(): () => void {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const { end } = useSession();
  const tell = (error: unknown): void => {
    void modal.error({ title: t("session.stillSignedIn"), content: <ProblemNotice error={error} /> });
  };
  return () => void end().catch(tell);
}
