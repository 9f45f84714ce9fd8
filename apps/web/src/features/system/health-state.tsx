import { CheckCircleFilled, CloseCircleFilled, MinusCircleOutlined, WarningFilled } from "@ant-design/icons";
import type { HealthState as State } from "@attune/contracts/rest/system.ts";
import { Flex, theme } from "antd";
import { useTranslation } from "react-i18next";

const icons = {
  ok: CheckCircleFilled,
  degraded: WarningFilled,
  failing: CloseCircleFilled,
  not_configured: MinusCircleOutlined,
} as const;

interface Props {
  readonly state: State;
  /** Of the platform as a whole, told in a sentence. */
  readonly isLarge?: boolean;
}

/** How something is: by a picture, a colour and a word, so that none of them is needed alone. */
export function HealthState({ state, isLarge = false }: Props) {
  const { t } = useTranslation();
  const { token } = theme.useToken();
  const colours: Readonly<Record<State, string>> = {
    ok: token.colorSuccess,
    degraded: token.colorWarning,
    failing: token.colorError,
    not_configured: token.colorTextSecondary,
  };
  const Icon = icons[state];
  return (
    <Flex
      align="center"
      gap={8}
      style={{ color: colours[state], fontSize: isLarge ? 18 : 14, fontWeight: isLarge ? 600 : 500 }}
    >
      <Icon aria-hidden />
      <span>{t(isLarge ? `system.overall.${state}` : `system.states.${state}`)}</span>
    </Flex>
  );
}
