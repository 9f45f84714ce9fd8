import { theme as antdTheme } from "antd";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { cellsOf, columnsOf } from "./row-cells.ts";
import type { DatasetRow } from "./use-rows.ts";

interface Props {
  readonly label: string;
  readonly total: number;
  readonly rowAt: (index: number) => DatasetRow | undefined;
  /** Tells which rows are to be seen, by index from 0. */
  readonly onWindow?: (first: number, last: number) => void;
  readonly onOpen: (row: DatasetRow) => void;
  /** A row to go to; asked again for the same row it is another object. */
  readonly goTo?: { readonly index: number } | undefined;
}

const rowPx = 32;
const heightPx = 560;
const overscan = 8;
const rowsForColumns = 20;
/** Browsers let an element be no higher than some 17 million pixels; beyond that, the scroll bar is coarser than a row. */
const maxHeightPx = 15_000_000;

/** Any number of rows, of which those in sight exist. Arrow keys, Page Up and Down, Home and End move, Enter opens. */
export function RowWindow({ label, total, rowAt, onWindow, onOpen, goTo }: Props) {
  const { t } = useTranslation();
  const { token } = antdTheme.useToken();
  const host = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [active, setActive] = useState(0);
  const fullPx = Math.min(total * rowPx, maxHeightPx);
  const shownPx = Math.min(heightPx, total * rowPx);
  const inView = Math.ceil(shownPx / rowPx);
  // Where the scroll bar stands, as a share, is the same share of the rows.
  const share = fullPx > shownPx ? top / (fullPx - shownPx) : 0;
  const firstPx = share * (total * rowPx - shownPx);
  const first = Math.max(0, Math.floor(firstPx / rowPx) - overscan);
  const last = Math.max(0, Math.min(total - 1, Math.floor(firstPx / rowPx) + inView + overscan));
  useEffect(() => onWindow?.(first, last), [first, last, onWindow]);
  // Of the first rows, so that the columns stay as they are while one scrolls.
  const columns = columnsOf(Array.from({ length: Math.min(total, rowsForColumns) }, (_, i) => rowAt(i)?.text ?? ""));
  const [kept, setKept] = useState<readonly string[]>([]);
  if (columns.length > 0 && columns.join() !== kept.join()) setKept(columns);

  const show = (index: number): void => {
    const next = Math.max(0, Math.min(total - 1, index));
    setActive(next);
    const scrollable = total * rowPx - shownPx;
    if (host.current === null || scrollable <= 0) return;
    const isAbove = next * rowPx < firstPx;
    const isBelow = (next + 1) * rowPx > firstPx + shownPx;
    if (!isAbove && !isBelow) return;
    const targetPx = isAbove ? next * rowPx : (next + 1) * rowPx - shownPx;
    host.current.scrollTop = (targetPx / scrollable) * (fullPx - shownPx);
  };
  useEffect(() => {
    if (goTo !== undefined) show(goTo.index);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only when it is asked for
  }, [goTo]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const target = targetOf(event.key, { active, total, inView });
    const row = rowAt(active);
    if (target !== undefined) show(target);
    else if (event.key === "Enter" && row) onOpen(row);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={host}
      role="grid"
      aria-label={label}
      aria-rowcount={total}
      aria-activedescendant={total > 0 && active >= first && active <= last ? `row-${active}` : undefined}
      tabIndex={0}
      className="row-window"
      style={{
        height: shownPx + (kept.length > 0 ? rowPx : 0),
        borderColor: token.colorBorderSecondary,
        background: token.colorBgContainer,
      }}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      {kept.length > 0 && <ColumnNames columns={kept} />}
      <div role="presentation" style={{ height: fullPx, position: "relative" }}>
        {Array.from({ length: total === 0 ? 0 : last - first + 1 }, (_, offset) => first + offset).map((index) => {
          const row = rowAt(index);
          return (
            <div
              key={index}
              id={`row-${index}`}
              role="row"
              aria-rowindex={index + 1}
              aria-selected={index === active}
              className="row-line"
              style={{ top: top + index * rowPx - firstPx, height: rowPx, lineHeight: `${rowPx}px` }}
              onClick={() => {
                setActive(index);
                if (row) onOpen(row);
              }}
            >
              <span role="gridcell" className="row-no" style={{ color: token.colorTextSecondary }}>
                {row?.row ?? index + 1}
              </span>
              <span role="gridcell" className="row-mark" style={{ color: token.colorError }}>
                {row && !row.is_valid ? "✗" : ""}
                {row && !row.is_valid && <span className="only-read">{t("datasets.counts.invalid")}</span>}
              </span>
              {((row && cellsOf(row.text, kept)) ?? [row?.text.slice(0, 600) ?? "…"]).map((cell, column) => (
                <span key={kept[column] ?? column} role="gridcell" className="row-text">
                  {cell}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function ColumnNames({ columns }: { readonly columns: readonly string[] }) {
  const { t } = useTranslation();
  const { token } = antdTheme.useToken();
  return (
    <div
      role="row"
      className="row-line is-header"
      style={{ height: rowPx, lineHeight: `${rowPx}px`, background: token.colorBgElevated }}
    >
      <span role="columnheader" className="row-no">
        #
      </span>
      <span role="columnheader" className="row-mark" aria-label={t("datasets.counts.invalid")} />
      {columns.map((name) => (
        <span key={name} role="columnheader" className="row-text">
          {name}
        </span>
      ))}
    </div>
  );
}

function targetOf(
  key: string,
  { active, total, inView }: { readonly active: number; readonly total: number; readonly inView: number },
): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + inView - 1,
    PageUp: active - inView + 1,
    Home: 0,
    End: total - 1,
  };
  return targets[key];
}
