import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { createDataset } from "@attune/contracts/rest/datasets.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Form, Modal } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { UploadFields } from "./upload-fields.tsx";
import { UploadFooter } from "./upload-footer.tsx";
import { UploadList } from "./upload-list.tsx";
import { useUploads } from "./use-uploads.ts";

export interface UploadForm {
  readonly name: string;
  readonly description: string;
  readonly is_private: boolean;
  readonly mode: "append" | "replace";
  readonly layout?: DatasetLayout;
}

interface Props {
  /** Absent to make a new one. */
  readonly dataset: Dataset | undefined;
  readonly onClose: () => void;
}

/** Files into a dataset, which is made first where there is none. Closing it stops what is under way. */
export function UploadDialog({ dataset, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [form] = Form.useForm<UploadForm>();
  // One key for one opening of the dialog: sent twice, it makes one dataset.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [made, setMade] = useState(dataset);
  const uploads = useUploads();
  const mutation = useMutation({
    mutationFn: async ({ mode, layout, ...fields }: UploadForm) => {
      const target = made ?? (await api.call(createDataset, { body: fields, idempotencyKey })).body;
      setMade(target);
      await uploads.run({ datasetId: target.id, mode: mode ?? "append", layout });
      await client.invalidateQueries({ queryKey: ["datasets"] });
    },
  });
  const close = (): void => {
    uploads.stop();
    onClose();
  };
  const open = (): void => {
    close();
    if (made && !dataset) void navigate({ to: `/datasets/${made.id}` });
  };
  return (
    <Modal
      open
      width={680}
      title={dataset ? t("datasets.uploadTitle", { name: dataset.name }) : t("datasets.addTitle")}
      onCancel={close}
      mask={{ closable: false }}
      footer={
        <UploadFooter
          uploads={uploads}
          isNew={dataset === undefined}
          isMade={made !== undefined}
          isPending={mutation.isPending}
          onClose={close}
          onOpen={open}
          onStart={() => form.submit()}
        />
      }
    >
      <Form<UploadForm>
        form={form}
        layout="vertical"
        initialValues={{ description: "", is_private: false, mode: "append" }}
        onFinish={(fields) => mutation.mutate(fields)}
      >
        <UploadFields dataset={dataset} isLocked={made !== dataset} uploads={uploads} form={form} />
      </Form>
      <UploadList uploads={uploads} />
      <ProblemNotice error={mutation.error} />
    </Modal>
  );
}
