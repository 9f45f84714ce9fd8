import { Flex, Typography } from "antd";
import type { ReactNode } from "react";

interface Props {
  readonly title: ReactNode;
  /** One sentence on what the page is for. */
  readonly hint?: ReactNode;
  /** The page's main actions. */
  readonly children?: ReactNode;
}

export function PageTitle({ title, hint, children }: Props) {
  return (
    <Flex justify="space-between" align="start" gap={16} wrap style={{ marginBottom: 16 }}>
      <div>
        <Typography.Title level={1} style={{ fontSize: 22, margin: 0 }}>
          {title}
        </Typography.Title>
        {hint !== undefined && <Typography.Text type="secondary">{hint}</Typography.Text>}
      </div>
      <Flex gap={8} wrap>
        {children}
      </Flex>
    </Flex>
  );
}
