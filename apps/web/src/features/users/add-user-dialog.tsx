import { addUser } from "@attune/contracts/rest/identity.ts";
import { type TenantRole, tenantRoles } from "@attune/contracts/rest/roles.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { App, Form, Input, Modal, Radio } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { useSession } from "../../lib/session.tsx";
import type { GivenPassword } from "./users-page.tsx";

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onPassword: (given: GivenPassword) => void;
}

interface Fields {
  readonly email: string;
  readonly display_name: string;
  readonly role: TenantRole;
}

export function AddUserDialog({ isOpen, onClose, onPassword }: Props) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { tenant } = useSession();
  const client = useQueryClient();
  const [form] = Form.useForm<Fields>();
  const mutation = useMutation({
    mutationFn: async (body: Fields) => (await api.call(addUser, { body })).body,
    onSuccess: async ({ user, one_time_password: password }) => {
      await client.invalidateQueries({ queryKey: ["users"] });
      form.resetFields();
      onClose();
      if (password === null) void message.success(t("users.known", { email: user.email }));
      else onPassword({ email: user.email, password });
    },
  });
  const required = { required: true, message: t("common.required") };
  const offered = tenantRoles.filter((role) => role !== "owner" || tenant?.role === "owner");
  return (
    <Modal
      open={isOpen}
      title={t("users.addTitle")}
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
        initialValues={{ role: "editor" }}
        onFinish={(body) => mutation.mutate(body)}
      >
        <Form.Item name="email" label={t("users.email")} rules={[required, { type: "email" }]}>
          <Input type="email" />
        </Form.Item>
        <Form.Item name="display_name" label={t("users.displayName")} rules={[required]}>
          <Input maxLength={200} />
        </Form.Item>
        <Form.Item name="role" label={t("users.role")}>
          <Radio.Group vertical options={offered.map((role) => ({ value: role, label: t(`users.roles.${role}`) }))} />
        </Form.Item>
      </Form>
      <ProblemNotice error={mutation.error} />
    </Modal>
  );
}
