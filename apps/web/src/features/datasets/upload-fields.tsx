import { InboxOutlined } from "@ant-design/icons";
import { datasetLayouts } from "@attune/contracts/rest/dataset-formats.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { App, Form, type FormInstance, Input, Radio, Select, Switch, Upload } from "antd";
import { useTranslation } from "react-i18next";
import type { UploadForm } from "./upload-dialog.tsx";
import type { Uploads } from "./use-uploads.ts";

interface Props {
  readonly dataset: Dataset | undefined;
  /** Whether the dataset has been made, so that its name stands. */
  readonly isLocked: boolean;
  readonly uploads: Uploads;
  readonly form: FormInstance<UploadForm>;
}

const accepted = /\.(jsonl|json|csv)$/i;

export function UploadFields({ dataset, isLocked, uploads, form }: Props) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const take = (file: File): void => {
    if (!accepted.test(file.name)) {
      void message.warning(t("datasets.wrongType", { name: file.name }));
      return;
    }
    uploads.add([file]);
    const isUnnamed = dataset === undefined && !form.getFieldValue("name");
    if (isUnnamed) form.setFieldsValue({ name: file.name.replace(accepted, "") });
  };
  return (
    <>
      {dataset === undefined && <RecordFields isLocked={isLocked} />}
      {dataset !== undefined && dataset.version_no > 0 && (
        <Form.Item name="mode" label={t("datasets.mode")}>
          <Radio.Group
            options={(["append", "replace"] as const).map((value) => ({ value, label: t(`datasets.modes.${value}`) }))}
          />
        </Form.Item>
      )}
      <Form.Item>
        <Upload.Dragger
          multiple
          accept=".jsonl,.json,.csv"
          showUploadList={false}
          disabled={uploads.isRunning}
          beforeUpload={(file) => {
            take(file);
            return false;
          }}
        >
          <p style={{ fontSize: 28, margin: 0 }}>
            <InboxOutlined aria-hidden />
          </p>
          <p style={{ margin: 0 }}>{t("datasets.drop")}</p>
          <p style={{ margin: 0, opacity: 0.75 }}>{t("datasets.dropHint")}</p>
        </Upload.Dragger>
      </Form.Item>
      <Form.Item name="layout" label={t("datasets.layout")}>
        <Select
          allowClear
          placeholder={t("datasets.anyLayout")}
          options={datasetLayouts.map((value) => ({ value, label: value }))}
        />
      </Form.Item>
    </>
  );
}

function RecordFields({ isLocked }: { readonly isLocked: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item name="name" label={t("common.name")} rules={[{ required: true, message: t("common.required") }]}>
        <Input maxLength={200} disabled={isLocked} />
      </Form.Item>
      <Form.Item name="description" label={t("common.description")}>
        <Input.TextArea maxLength={2000} autoSize={{ minRows: 1, maxRows: 6 }} disabled={isLocked} />
      </Form.Item>
      <Form.Item
        name="is_private"
        label={t("datasets.private")}
        extra={t("datasets.privateHint")}
        valuePropName="checked"
      >
        <Switch disabled={isLocked} />
      </Form.Item>
    </>
  );
}
