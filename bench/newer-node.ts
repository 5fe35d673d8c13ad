/** What workerd has and Node 20 lacks: the Worker's pages group rows by it. */

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
