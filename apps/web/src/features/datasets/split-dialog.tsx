import { splitDataset } from "@attune/contracts/rest/datasets.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Alert, Form, Input, InputNumber, Modal } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";

interface Fields {
  readonly train_name: string;
  readonly validation_name: string;
  readonly percent: number;
  readonly seed: string;
}

interface Props {
  readonly dataset: Dataset;
  readonly onClose: () => void;
}

/** Two datasets of the present version: one to train, one to validate. */
export function SplitDialog({ dataset, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [form] = Form.useForm<Fields>();
  const mutation = useMutation({
    mutationFn: async ({ percent, ...fields }: Fields) => {
      const body = { ...fields, validation_fraction: percent / 100 };
      return (await api.call(splitDataset, { params: { dataset_id: dataset.id }, body })).body;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["datasets"] }),
  });
  const required = { required: true, message: t("common.required") };
  const done = mutation.data;
  return (
    <Modal
      open
      title={t("datasets.splitTitle", { name: dataset.name })}
      okText={t(done ? "common.close" : "datasets.split")}
      cancelText={t("common.cancel")}
      cancelButtonProps={{ style: done && { display: "none" } }}
      confirmLoading={mutation.isPending}
      onOk={done ? onClose : () => form.submit()}
      onCancel={onClose}
    >
      <p>{t("datasets.splitHint")}</p>
      <Form<Fields>
        form={form}
        layout="vertical"
        disabled={done !== undefined}
        initialValues={{
          train_name: `${dataset.name.slice(0, 180)} train`,
          validation_name: `${dataset.name.slice(0, 180)} validation`,
          percent: 10,
          seed: "0",
        }}
        onFinish={(fields) => mutation.mutate(fields)}
      >
        <Form.Item name="train_name" label={t("datasets.trainName")} rules={[required]}>
          <Input maxLength={200} />
        </Form.Item>
        <Form.Item name="validation_name" label={t("datasets.validationName")} rules={[required]}>
          <Input maxLength={200} />
        </Form.Item>
        <Form.Item name="percent" label={t("datasets.fraction")} rules={[required]}>
          <InputNumber min={0.01} max={99.99} step={1} />
        </Form.Item>
        <Form.Item name="seed" label={t("datasets.seed")} rules={[required]}>
          <Input maxLength={100} />
        </Form.Item>
      </Form>
      <ProblemNotice error={mutation.error} />
      {done && (
        <Alert
          type="success"
          showIcon
          title={t("datasets.splitDone", {
            train: done.counts.train,
            validation: done.counts.validation,
            duplicates: done.counts.duplicates_removed,
          })}
          description={[done.train, done.validation].map(({ id, name }) => (
            <div key={id}>
              <Link to={`/datasets/${id}`}>{name}</Link>
            </div>
          ))}
        />
      )}
    </Modal>
  );
}
