/** Polyfills of the functions that the Worker uses to group rows; workerd has them, Node 20 does not. */

type Grouped<Item> = Record<PropertyKey, Item[]>

Object.groupBy ??= function groupBy<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item, index: number) => PropertyKey,
): Grouped<Item> {
  const groups = Object.create(null) as Grouped<Item>
  let index = 0
  for (const item of items) (groups[keyOf(item, index++)] ??= []).push(item)
  return groups
} as typeof Object.groupBy

;(Map as { groupBy?: unknown }).groupBy ??= function groupBy<Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item, index: number) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  let index = 0
  for (const item of items) {
    const key = keyOf(item, index++)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
