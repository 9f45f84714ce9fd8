import { type Model, type ModelKind, modelPurposes } from "@attune/contracts/rest/models.ts";
import { Form, Input, Radio, Switch } from "antd";
import { useTranslation } from "react-i18next";

export interface ModelForm {
  readonly kind: ModelKind;
  readonly name: string;
  readonly description: string;
  readonly purpose: (typeof modelPurposes)[number];
  readonly is_private: boolean;
  readonly path: string;
  readonly api_url: string;
  readonly api_model: string;
  readonly secret: string;
}

interface Props {
  readonly kind: ModelKind;
  readonly model: Model | undefined;
}

/** The fields of a model of one kind. */
export function ModelFields({ kind, model }: Props) {
  const { t } = useTranslation();
  const required = { required: true, message: t("common.required") };
  return (
    <>
      <Form.Item name="kind" label={t("models.kind")}>
        <Radio.Group
          disabled={model !== undefined}
          optionType="button"
          options={(["api", "base"] as const).map((value) => ({ value, label: t(`models.kinds.${value}`) }))}
        />
      </Form.Item>
      <Form.Item name="name" label={t("common.name")} rules={[required]}>
        <Input maxLength={200} />
      </Form.Item>
      <Form.Item name="description" label={t("common.description")}>
        <Input.TextArea maxLength={2000} autoSize={{ minRows: 1, maxRows: 6 }} />
      </Form.Item>
      <Form.Item name="purpose" label={t("models.purpose")}>
        <Radio.Group options={modelPurposes.map((value) => ({ value, label: t(`models.purposes.${value}`) }))} />
      </Form.Item>
      {kind === "base" ? (
        <Form.Item name="path" label={t("models.path")} extra={t("models.pathHint")}>
          <Input maxLength={1000} />
        </Form.Item>
      ) : (
        <>
          <Form.Item name="api_url" label={t("models.apiUrl")} extra={t("models.apiUrlHint")} rules={[required]}>
            <Input maxLength={1000} inputMode="url" />
          </Form.Item>
          <Form.Item name="api_model" label={t("models.apiModel")} rules={[required]}>
            <Input maxLength={300} />
          </Form.Item>
          <Form.Item
            name="secret"
            label={t("models.secret")}
            extra={t(model?.has_secret === true ? "models.secretKept" : "models.secretHint")}
          >
            <Input.Password autoComplete="off" maxLength={4000} />
          </Form.Item>
        </>
      )}
      <Form.Item name="is_private" label={t("models.private")} extra={t("models.privateHint")} valuePropName="checked">
        <Switch />
      </Form.Item>
    </>
  );
}
