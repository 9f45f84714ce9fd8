import { listUsers } from "@attune/contracts/rest/identity.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api } from "./api.ts";
import { useHasRole, useSession } from "./session.tsx";

interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** Members of the tenant whose name or address holds `search`, at most 200; nobody for those who may not list them. */
export function usePeople(search = ""): readonly Person[] {
  const { tenant } = useSession();
  const isEnabled = useHasRole("editor");
  const { data } = useQuery({
    queryKey: ["users", tenant?.id, "people", search],
    enabled: isEnabled,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const query = { limit: 200, search: search || undefined };
      const { items } = (await api.call(listUsers, { query, signal })).body;
      return items.map(({ id, display_name: name, email }) => ({ id, name, email }));
    },
  });
  return data ?? [];
}

/** Gives the name of a member by id: one's own as "you", those that one may not know by the end of their id. */
export function useNameOf(): (userId: string) => string {
  const { t } = useTranslation();
  const { session } = useSession();
  const people = usePeople();
  return (userId) => {
    if (userId === session?.user.id) return t("common.you");
    return people.find(({ id }) => id === userId)?.name ?? `…${userId.slice(-6)}`;
  };
}
