import { Button, Flex } from "antd";
import { useTranslation } from "react-i18next";

interface Props {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}

/** Fetches the next page of a list that has one. */
export function MoreButton({ query }: Props) {
  const { t } = useTranslation();
  if (!query.hasNextPage) return null;
  return (
    <Flex justify="center" style={{ marginTop: 12 }}>
      <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {t("common.more")}
      </Button>
    </Flex>
  );
}
