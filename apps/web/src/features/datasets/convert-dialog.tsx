import { type DatasetLayout, datasetLayouts } from "@attune/contracts/rest/dataset-formats.ts";
import { convertDataset } from "@attune/contracts/rest/datasets.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Alert, Form, Input, Modal, Radio, Select } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";

interface Fields {
  readonly name: string;
  readonly layout: DatasetLayout;
  readonly text_style: "plain" | "chatml";
}

interface Props {
  readonly dataset: Dataset;
  readonly onClose: () => void;
}

/** The present version in another layout, as a new dataset. */
export function ConvertDialog({ dataset, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [form] = Form.useForm<Fields>();
  const layout = Form.useWatch("layout", form);
  const mutation = useMutation({
    mutationFn: async (body: Fields) =>
      (await api.call(convertDataset, { params: { dataset_id: dataset.id }, body })).body,
    onSuccess: () => client.invalidateQueries({ queryKey: ["datasets"] }),
  });
  const required = { required: true, message: t("common.required") };
  const done = mutation.data;
  return (
    <Modal
      open
      title={t("datasets.convertTitle", { name: dataset.name })}
      okText={t(done ? "common.close" : "datasets.convert")}
      cancelText={t("common.cancel")}
      cancelButtonProps={{ style: done && { display: "none" } }}
      confirmLoading={mutation.isPending}
      onOk={done ? onClose : () => form.submit()}
      onCancel={onClose}
    >
      <p>{t("datasets.convertHint")}</p>
      <Form<Fields>
        form={form}
        layout="vertical"
        disabled={done !== undefined}
        initialValues={{ text_style: "plain" }}
        onFinish={(fields) => mutation.mutate({ ...fields, text_style: fields.text_style ?? "plain" })}
      >
        <Form.Item name="name" label={t("datasets.newName")} rules={[required]}>
          <Input maxLength={200} />
        </Form.Item>
        <Form.Item name="layout" label={t("datasets.layout")} rules={[required]}>
          <Select
            options={datasetLayouts
              .filter((value) => value !== dataset.layout)
              .map((value) => ({ value, label: value }))}
          />
        </Form.Item>
        {layout === "cpt" && (
          <Form.Item name="text_style" label={t("datasets.textStyle")}>
            <Radio.Group
              options={(["plain", "chatml"] as const).map((value) => ({
                value,
                label: t(`datasets.textStyles.${value}`),
              }))}
            />
          </Form.Item>
        )}
      </Form>
      <ProblemNotice error={mutation.error} />
      {done && (
        <Alert
          type={done.counts.written === done.counts.read ? "success" : "warning"}
          showIcon
          title={t("datasets.converted", { written: done.counts.written, read: done.counts.read })}
          description={
            <>
              <Reasons title={t("datasets.refused")} counts={done.counts.refused} />
              <Reasons title={t("datasets.losses")} counts={done.counts.losses} />
              <Link to={`/datasets/${done.dataset.id}`}>{done.dataset.name}</Link>
            </>
          }
        />
      )}
    </Modal>
  );
}

function Reasons({ title, counts }: { readonly title: string; readonly counts: Readonly<Record<string, number>> }) {
  const entries = Object.entries(counts);
  if (entries.length === 0) return null;
  return (
    <p style={{ margin: 0 }}>
      {title}: {entries.map(([reason, count]) => `${reason} (${count})`).join(", ")}
    </p>
  );
}
