import { Modal, Typography } from "antd";
import { useTranslation } from "react-i18next";

interface Props {
  readonly title: string;
  /** The secret; while there is none the dialog is closed. */
  readonly secret: string | undefined;
  readonly onClose: () => void;
}

/** A password or token that the platform keeps no copy of. */
export function ShownOnce({ title, secret, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <Modal
      open={secret !== undefined}
      title={title}
      onCancel={onClose}
      onOk={onClose}
      okText={t("common.close")}
      cancelButtonProps={{ style: { display: "none" } }}
      mask={{ closable: false }}
    >
      <Typography.Paragraph>{t("common.once")}</Typography.Paragraph>
      <Typography.Text code copyable style={{ fontSize: 16 }}>
        {secret}
      </Typography.Text>
    </Modal>
  );
}
