import { verifyStoredObjects } from "@attune/contracts/rest/jobs.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../../lib/api.ts";
import { type Awaited, endOf, hasEnded, useSystemStorage } from "./system-queries.ts";

/** What is stored, and a way to have all of it verified now. */
export function useVerification() {
  const client = useQueryClient();
  const [awaited, setAwaited] = useState<Awaited>();
  const storage = useSystemStorage(awaited);
  const mutation = useMutation({
    mutationFn: async (): Promise<Awaited> => {
      const previousEnd = endOf(storage.data);
      await api.call(verifyStoredObjects, { idempotencyKey: crypto.randomUUID() });
      return { previousEnd };
    },
    onSuccess: setAwaited,
  });
  const isOver = awaited !== undefined && hasEnded(awaited, storage.data);
  useEffect(() => {
    if (!isOver) return;
    setAwaited(undefined);
    // The health of the store depends on what was found.
    void client.invalidateQueries({ queryKey: ["system"] });
  }, [isOver, client]);
  return {
    storage,
    start: () => mutation.mutate(),
    isRunning: mutation.isPending || (awaited !== undefined && !isOver),
    error: mutation.error,
  };
}
