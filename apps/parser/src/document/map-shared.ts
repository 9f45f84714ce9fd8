/*
 * Maps that hand back the very value they were given when nothing changed in it, so that a pass over a large document
 * costs nothing where it has nothing to do.
 */

export function withChanged<TValue extends object, TKey extends keyof TValue>(
  value: TValue,
  key: TKey,
  changed: TValue[TKey],
): TValue {
  return value[key] === changed ? value : { ...value, [key]: changed };
}

export function mapShared<TItem>(items: readonly TItem[], change: (item: TItem) => TItem): readonly TItem[] {
  let changed: TItem[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as TItem;
    const result = change(item);
    if (changed === undefined && result !== item) changed = items.slice(0, at);
    changed?.push(result);
  }
  return changed ?? items;
}

/** Each item may become one, none or several. Items must not be arrays themselves. */
export function flatMapShared<TItem extends object | string>(
  items: readonly TItem[],
  change: (item: TItem) => TItem | readonly TItem[],
): readonly TItem[] {
  let changed: TItem[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as TItem;
    const result = change(item);
    if (changed === undefined && result !== item) changed = items.slice(0, at);
    if (changed === undefined) continue;
    if (Array.isArray(result)) for (const part of result as readonly TItem[]) changed.push(part);
    else changed.push(result as TItem);
  }
  return changed ?? items;
}
