import { Link } from "@tanstack/react-router";
import { Result } from "antd";
import { useTranslation } from "react-i18next";

export function NotFound() {
  const { t } = useTranslation();
  return <Result status="404" title={t("app.notFound")} extra={<Link to="/">{t("app.home")}</Link>} />;
}
