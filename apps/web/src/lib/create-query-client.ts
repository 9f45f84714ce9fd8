import { ProblemError } from "@attune/contracts/rest/create-client.ts";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isProblem } from "./api.ts";

/** Asks again only where the platform says that it may help. */
const mayHelp = (failures: number, error: Error): boolean =>
  failures < 2 && error instanceof ProblemError && ["unavailable", "aborted"].includes(error.problem.code);

/** @param onSignedOut called when the platform no longer takes the token. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (isProblem(error, "SIGN_IN_REQUIRED")) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { retry: mayHelp, staleTime: 5000 }, mutations: { retry: false } },
  });
}
