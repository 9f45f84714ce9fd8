import { Card, theme as antdTheme, Typography } from "antd";
import { useEffect, useRef } from "react";
import uPlot from "uplot";

interface Props {
  readonly title: string;
  /** What the plot says, in words: also for those who do not see it. */
  readonly summary: string;
  readonly bars: readonly { readonly label: string; readonly height: number }[];
}

const heightPx = 180;

/** A small bar plot; its bars stand at equal distances, whatever they are called. */
export function BarPlot({ title, summary, bars }: Props) {
  const { token } = antdTheme.useToken();
  const host = useRef<HTMLDivElement>(null);
  const { colorPrimary, colorText, colorBorderSecondary } = token;
  useEffect(() => {
    const element = host.current;
    if (element === null || bars.length === 0) return undefined;
    const axis = { stroke: colorText, grid: { stroke: colorBorderSecondary, width: 1 }, ticks: { show: false } };
    const labelOf = (index: number): string => (Number.isInteger(index) ? (bars[index]?.label ?? "") : "");
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: heightPx,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: [-0.6, bars.length - 0.4] }, y: { range: (_, __, max) => [0, max * 1.05] } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            space: 90,
            incrs: [1, 2, 5, 10, 20, 50],
            values: (_, at) => at.map(labelOf),
          },
          { ...axis, size: 60 },
        ],
        series: [
          {},
          {
            stroke: colorPrimary,
            fill: colorPrimary,
            points: { show: false },
            ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.8, 60] }) }),
          },
        ],
      },
      [bars.map((_, index) => index), bars.map(({ height }) => height)],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [bars, colorPrimary, colorText, colorBorderSecondary]);
  return (
    <Card size="small" title={title} style={{ flex: "1 1 360px", minWidth: 0 }}>
      <div ref={host} role="img" aria-label={`${title}. ${summary}`} style={{ height: heightPx }} />
      <Typography.Text type="secondary">{summary}</Typography.Text>
    </Card>
  );
}
