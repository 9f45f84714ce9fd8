import { createModel, editModel, type Model, type ModelKind } from "@attune/contracts/rest/models.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Form, Modal } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { ModelFields, type ModelForm } from "./model-fields.tsx";

interface Props {
  /** The model that is edited, or `new`; while there is none the dialog is closed. */
  readonly edited: Model | "new" | undefined;
  readonly onClose: () => void;
}

const fresh: ModelForm = {
  kind: "api",
  name: "",
  description: "",
  purpose: "chat",
  is_private: false,
  path: "",
  api_url: "",
  api_model: "",
  secret: "",
};

const formOf = (model: Model): ModelForm => ({
  ...model,
  path: model.path ?? "",
  api_url: model.api_url ?? "",
  api_model: model.api_model ?? "",
  secret: "",
});

export function ModelDialog({ edited, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [form] = Form.useForm<ModelForm>();
  // One key for one opening of the dialog: sent twice, it makes one model.
  const [key, setKey] = useState("");
  const model = edited === "new" ? undefined : edited;
  const mutation = useMutation({
    mutationFn: (fields: ModelForm) => (model === undefined ? create(fields, key) : edit(model, fields)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["models"] });
      onClose();
    },
  });
  const { reset } = mutation;
  useEffect(() => {
    if (edited === undefined) return;
    form.setFieldsValue(edited === "new" ? fresh : formOf(edited));
    setKey(crypto.randomUUID());
    reset();
  }, [edited, form, reset]);
  const kind: ModelKind = Form.useWatch("kind", form) ?? "api";
  return (
    <Modal
      open={edited !== undefined}
      title={model === undefined ? t("models.addTitle") : t("models.editTitle", { name: model.name })}
      okText={t(model === undefined ? "common.add" : "common.save")}
      cancelText={t("common.cancel")}
      confirmLoading={mutation.isPending}
      onOk={() => form.submit()}
      onCancel={onClose}
      forceRender
      width={600}
    >
      <Form<ModelForm>
        form={form}
        layout="vertical"
        initialValues={fresh}
        onFinish={(fields) => mutation.mutate(fields)}
      >
        <ModelFields kind={kind} model={model} />
      </Form>
      <ProblemNotice error={mutation.error} />
    </Modal>
  );
}

function create(fields: ModelForm, idempotencyKey: string): Promise<unknown> {
  const { kind, name, description, purpose, is_private, path, api_url, api_model, secret } = fields;
  const shared = { name, description, purpose, is_private };
  const body =
    kind === "base"
      ? { kind, ...shared, path: path || null }
      : { kind, ...shared, api_url, api_model, ...(secret !== "" && { secret }) };
  return api.call(createModel, { body, idempotencyKey });
}

function edit(model: Model, fields: ModelForm): Promise<unknown> {
  const { name, description, purpose, is_private, path, api_url, api_model, secret } = fields;
  const shared = { name, description, purpose, is_private };
  const body =
    model.kind === "base"
      ? { ...shared, path: path || null }
      : { ...shared, api_url, api_model, ...(secret !== "" && { secret }) };
  return api.call(editModel, { params: { model_id: model.id }, body, ifMatch: `"${model.version}"` });
}
