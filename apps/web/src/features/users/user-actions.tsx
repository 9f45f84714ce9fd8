import { removeUser, resetPassword } from "@attune/contracts/rest/identity.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { App, Button, Popconfirm, Space } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import type { GivenPassword, User } from "./users-page.tsx";

interface Props {
  readonly user: User;
  readonly onPassword: (given: GivenPassword) => void;
}

export function UserActions({ user, onPassword }: Props) {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const client = useQueryClient();
  const onError = (error: unknown): void =>
    void modal.warning({ title: user.email, content: <ProblemNotice error={error} />, width: 560 });
  const params = { user_id: user.id };
  const reset = useMutation({
    mutationFn: async () => (await api.call(resetPassword, { params })).body,
    onSuccess: ({ one_time_password: password }) => onPassword({ email: user.email, password }),
    onError,
  });
  const remove = useMutation({
    mutationFn: () => api.call(removeUser, { params }),
    onError,
    onSettled: () => client.invalidateQueries({ queryKey: ["users"] }),
  });
  return (
    <Space size={4}>
      <Popconfirm title={t("users.resetConfirm", { email: user.email })} onConfirm={() => reset.mutate()}>
        <Button size="small" type="link" loading={reset.isPending}>
          {t("users.reset")}
        </Button>
      </Popconfirm>
      <Popconfirm title={t("users.removeConfirm", { email: user.email })} onConfirm={() => remove.mutate()}>
        <Button size="small" type="link" danger loading={remove.isPending}>
          {t("common.remove")}
        </Button>
      </Popconfirm>
    </Space>
  );
}
