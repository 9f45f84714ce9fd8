import { getSignInOptions, signIn } from "@attune/contracts/rest/identity.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Button, Divider, Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { useSession } from "../../lib/session.tsx";

interface Fields {
  readonly email: string;
  readonly password: string;
}

export function SignInForm() {
  const { t } = useTranslation();
  const { start } = useSession();
  const options = useQuery({
    queryKey: ["sign-in-options"],
    queryFn: async () => (await api.call(getSignInOptions, {})).body,
  });
  const mutation = useMutation({
    mutationFn: async (body: Fields) => (await api.call(signIn, { body })).body,
    onSuccess: start,
  });
  const oidc = options.data?.oidc;
  return (
    <Form<Fields> layout="vertical" requiredMark={false} onFinish={(fields) => mutation.mutate(fields)}>
      <Form.Item name="email" label={t("session.email")} rules={[{ required: true, message: t("common.required") }]}>
        <Input type="email" autoComplete="username" autoFocus />
      </Form.Item>
      <Form.Item
        name="password"
        label={t("session.password")}
        rules={[{ required: true, message: t("common.required") }]}
      >
        <Input.Password autoComplete="current-password" />
      </Form.Item>
      {mutation.error && (
        <div style={{ marginBottom: 16 }}>
          <ProblemNotice error={mutation.error} />
        </div>
      )}
      <Button type="primary" htmlType="submit" block loading={mutation.isPending}>
        {t("session.signIn")}
      </Button>
      {oidc && (
        <>
          <Divider plain>{t("session.or")}</Divider>
          <Button block href="/api/v1/session/oidc">
            {t("session.signInWith", { name: oidc.name })}
          </Button>
        </>
      )}
    </Form>
  );
}
