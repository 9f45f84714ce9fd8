import { editDataset, getDataset } from "@attune/contracts/rest/datasets.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Form, Input, Modal, Switch } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api, isProblem } from "../../lib/api.ts";
import { useDatasetRights } from "./dataset-queries.ts";

interface Fields {
  readonly name: string;
  readonly description: string;
  readonly is_private: boolean;
}

interface Props {
  readonly dataset: Dataset;
  readonly onClose: () => void;
}

/** Name, description and privacy. What is typed stays when somebody else was faster. */
export function EditDialog({ dataset, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [form] = Form.useForm<Fields>();
  const { mayManage } = useDatasetRights(dataset);
  // The page learns what others change while one types; what is saved was typed on top of what stood here at first.
  const [typedOn, setTypedOn] = useState(dataset);
  const mutation = useMutation({
    mutationFn: ({ is_private: isPrivate, ...fields }: Fields) => {
      const isChanged = mayManage && isPrivate !== typedOn.is_private;
      const body = { ...fields, ...(isChanged && { is_private: isPrivate }) };
      return api.call(editDataset, { params: { dataset_id: dataset.id }, body, ifMatch: `"${typedOn.version}"` });
    },
    onSuccess: onClose,
    // Saved again, it is saved on top of what is there now.
    onError: async (error) => {
      if (!isProblem(error, "VERSION_CONFLICT")) return;
      const now = await api.call(getDataset, { params: { dataset_id: dataset.id } }).catch(() => undefined);
      if (now !== undefined) setTypedOn(now.body);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["datasets"] }),
  });
  return (
    <Modal
      open
      title={t("datasets.editTitle", { name: dataset.name })}
      okText={t("common.save")}
      cancelText={t("common.cancel")}
      confirmLoading={mutation.isPending}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <Form<Fields>
        form={form}
        layout="vertical"
        initialValues={{ name: dataset.name, description: dataset.description, is_private: dataset.is_private }}
        onFinish={(fields) => mutation.mutate(fields)}
      >
        <Form.Item name="name" label={t("common.name")} rules={[{ required: true, message: t("common.required") }]}>
          <Input maxLength={200} />
        </Form.Item>
        <Form.Item name="description" label={t("common.description")}>
          <Input.TextArea maxLength={2000} autoSize={{ minRows: 2, maxRows: 8 }} />
        </Form.Item>
        <Form.Item
          name="is_private"
          label={t("datasets.private")}
          extra={t("datasets.privateHint")}
          valuePropName="checked"
        >
          <Switch disabled={!mayManage} />
        </Form.Item>
      </Form>
      <ProblemNotice error={mutation.error} />
    </Modal>
  );
}
