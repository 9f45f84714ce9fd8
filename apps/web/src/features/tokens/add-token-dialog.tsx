import { createApiToken, tokenScopes } from "@attune/contracts/rest/identity.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Checkbox, Form, Input, InputNumber, Modal } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";

export interface MadeToken {
  readonly name: string;
  readonly token: string;
}

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (made: MadeToken) => void;
}

interface Fields {
  readonly name: string;
  readonly scopes: (typeof tokenScopes)[number][];
  readonly expires_in_days: number;
}

export function AddTokenDialog({ isOpen, onClose, onMade }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [form] = Form.useForm<Fields>();
  const mutation = useMutation({
    mutationFn: async (body: Fields) => (await api.call(createApiToken, { body })).body,
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ["api-tokens"] });
      form.resetFields();
      onClose();
      onMade(made);
    },
  });
  const required = { required: true, message: t("common.required") };
  return (
    <Modal
      open={isOpen}
      title={t("tokens.add")}
      okText={t("common.add")}
      cancelText={t("common.cancel")}
      confirmLoading={mutation.isPending}
      onOk={() => form.submit()}
      onCancel={onClose}
      forceRender
    >
      <Form<Fields>
        form={form}
        layout="vertical"
        initialValues={{ scopes: ["read", "use"], expires_in_days: 90 }}
        onFinish={(body) => mutation.mutate(body)}
      >
        <Form.Item name="name" label={t("common.name")} rules={[required]}>
          <Input maxLength={200} />
        </Form.Item>
        <Form.Item name="scopes" label={t("tokens.scopes")} rules={[required]}>
          <Checkbox.Group options={tokenScopes.map((value) => ({ value, label: t(`tokens.scopeNames.${value}`) }))} />
        </Form.Item>
        <Form.Item name="expires_in_days" label={t("tokens.days")} rules={[required]}>
          <InputNumber min={1} max={366} precision={0} />
        </Form.Item>
      </Form>
      <ProblemNotice error={mutation.error} />
    </Modal>
  );
}
