import { type aclSchema, grantAccess, listAcls, revokeAccess, type SharedKind } from "@attune/contracts/rest/acls.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button, Flex, List, Modal, Tag } from "antd";
import { useTranslation } from "react-i18next";
import type * as z from "zod";
import { api } from "../lib/api.ts";
import { useSession } from "../lib/session.tsx";
import { usePeople } from "../lib/use-people.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { type Grant, ShareForm } from "./share-form.tsx";

interface Props {
  readonly kind: SharedKind;
  readonly id: string;
  readonly name: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

type Acl = z.infer<typeof aclSchema>;

/** Who may do what with one record beyond their roles; for those who may manage it. */
export function ShareDialog({ kind, id, name, isOpen, onClose }: Props) {
  const { t } = useTranslation();
  const { tenant } = useSession();
  const client = useQueryClient();
  const params = { resource_kind: kind, resource_id: id };
  const queryKey = ["acls", tenant?.id, kind, id];
  const query = useQuery({
    queryKey,
    enabled: isOpen,
    queryFn: async ({ signal }) => (await api.call(listAcls, { params, signal })).body.items,
  });
  const onSettled = () => client.invalidateQueries({ queryKey });
  const grant = useMutation({
    mutationFn: (body: Grant) => api.call(grantAccess, { params, body, idempotencyKey: crypto.randomUUID() }),
    onSettled,
  });
  const revoke = useMutation({
    mutationFn: (aclId: string) => api.call(revokeAccess, { params: { ...params, acl_id: aclId } }),
    onSettled,
  });
  const whoIs = useGrantee();
  return (
    <Modal
      open={isOpen}
      title={t("share.title", { name })}
      footer={null}
      onCancel={onClose}
      width={640}
      destroyOnHidden
    >
      <p>{t("share.hint")}</p>
      <ShareForm isPending={grant.isPending} onGrant={(body) => grant.mutate(body)} />
      <ProblemNotice error={grant.error ?? revoke.error ?? query.error} />
      <List<Acl>
        size="small"
        loading={query.isLoading}
        dataSource={query.data ?? []}
        locale={{ emptyText: t("share.empty") }}
        renderItem={(acl) => (
          <List.Item>
            <Flex flex={1} align="center" gap={8}>
              <span style={{ flex: 1, overflowWrap: "anywhere" }}>{whoIs(acl)}</span>
              <Tag>{t(`share.actions.${acl.action}`)}</Tag>
              <Button
                size="small"
                type="link"
                danger
                aria-label={t("share.revokeNamed", { who: whoIs(acl) })}
                loading={revoke.isPending && revoke.variables === acl.id}
                onClick={() => revoke.mutate(acl.id)}
              >
                {t("share.revoke")}
              </Button>
            </Flex>
          </List.Item>
        )}
      />
    </Modal>
  );
}

function useGrantee(): (acl: Acl) => string {
  const { t } = useTranslation();
  const people = usePeople();
  return ({ grantee_kind: kind, grantee }) => {
    if (kind === "tenant") return t("share.kinds.tenant");
    if (kind === "role") return t(`users.roleNames.${grantee}`);
    const person = people.find(({ id }) => id === grantee);
    return person ? `${person.name} (${person.email})` : `…${grantee.slice(-6)}`;
  };
}
