import { Link } from "@tanstack/react-router";
import { Empty } from "antd";
import { useTranslation } from "react-i18next";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t("app.notFound")}>
      <Link to="/">{t("app.home")}</Link>
    </Empty>
  );
}
