import { changePassword } from "@attune/contracts/rest/identity.ts";
import { useMutation } from "@tanstack/react-query";
import { Button, Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";

interface Fields {
  readonly current: string;
  readonly next: string;
  readonly again: string;
}

export function PasswordForm({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const mutation = useMutation({
    mutationFn: ({ current, next }: Fields) =>
      api.call(changePassword, { body: { current_password: current, new_password: next } }),
    onSuccess: onDone,
  });
  const required = { required: true, message: t("common.required") };
  return (
    <Form<Fields> layout="vertical" requiredMark={false} onFinish={(fields) => mutation.mutate(fields)}>
      <Form.Item name="current" label={t("session.currentPassword")} rules={[required]}>
        <Input.Password autoComplete="current-password" />
      </Form.Item>
      <Form.Item name="next" label={t("session.newPassword")} rules={[required]}>
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      <Form.Item
        name="again"
        label={t("session.repeatPassword")}
        dependencies={["next"]}
        rules={[
          required,
          ({ getFieldValue }) => ({
            validator: (_, value: unknown) =>
              value === getFieldValue("next") ? Promise.resolve() : Promise.reject(new Error(t("session.differs"))),
          }),
        ]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      {mutation.error && (
        <div style={{ marginBottom: 16 }}>
          <ProblemNotice error={mutation.error} />
        </div>
      )}
      <Button type="primary" htmlType="submit" block loading={mutation.isPending}>
        {t("common.save")}
      </Button>
    </Form>
  );
}
