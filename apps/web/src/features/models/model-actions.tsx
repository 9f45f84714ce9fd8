import { deleteModel, type Model, testModelConnection } from "@attune/contracts/rest/models.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { App, Button, Modal, Popconfirm, Space } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { ShareDialog } from "../../components/share-dialog.tsx";
import { api } from "../../lib/api.ts";
import { useHasRole, useSession } from "../../lib/session.tsx";
import { ConnectionReport } from "./connection-report.tsx";

interface Props {
  readonly model: Model;
  readonly onEdit: () => void;
}

export function ModelActions({ model, onEdit }: Props) {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const { session } = useSession();
  const isEditor = useHasRole("editor");
  const mayManage = useHasRole("admin") || (isEditor && model.owner_id === session?.user.id);
  const [isSharing, setIsSharing] = useState(false);
  const client = useQueryClient();
  const params = { model_id: model.id };
  const test = useMutation({
    mutationFn: async () => (await api.call(testModelConnection, { params })).body,
  });
  const remove = useMutation({
    mutationFn: () => api.call(deleteModel, { params }),
    onError: (error) => void modal.warning({ title: model.name, content: <ProblemNotice error={error} />, width: 560 }),
    onSettled: () => client.invalidateQueries({ queryKey: ["models"] }),
  });
  return (
    <Space size={4}>
      {model.kind === "api" && isEditor && (
        <Button size="small" type="link" loading={test.isPending} onClick={() => test.mutate()}>
          {t("models.test")}
        </Button>
      )}
      {isEditor && (
        <Button size="small" type="link" onClick={onEdit}>
          {t("models.edit")}
        </Button>
      )}
      {mayManage && (
        <Button size="small" type="link" onClick={() => setIsSharing(true)}>
          {t("models.share")}
        </Button>
      )}
      {mayManage && (
        <Popconfirm title={t("models.deleteConfirm", { name: model.name })} onConfirm={() => remove.mutate()}>
          <Button size="small" type="link" danger loading={remove.isPending}>
            {t("common.delete")}
          </Button>
        </Popconfirm>
      )}
      <ShareDialog
        kind="model"
        id={model.id}
        name={model.name}
        isOpen={isSharing}
        onClose={() => setIsSharing(false)}
      />
      <Modal
        open={test.isSuccess || test.isError}
        title={t("models.tested", { name: model.name })}
        footer={null}
        onCancel={() => test.reset()}
        width={640}
      >
        <ProblemNotice error={test.error} />
        {test.data && <ConnectionReport report={test.data} />}
      </Modal>
    </Space>
  );
}
