/** Names the node under the pointer on large maps, whose cells have no titles and no links of their own. */

interface Cell {
  readonly group: string
  readonly certname: string
}

type Groups = ReadonlyMap<string, readonly Cell[]>

/** The names of a map, read when the pointer first comes to one of its cells. */
const known = new Map<string, Promise<Groups>>()

export function nameCells(): void {
  document.addEventListener('pointerover', (event) => void nameAt(event))
  document.addEventListener('pointermove', (event) => void nameAt(event))
  document.addEventListener('click', (event) => {
    void nodeAt(event).then((name) => {
      if (name !== undefined) location.assign(`/console/nodes/${encodeURIComponent(name)}`)
    })
  })
}

async function nameAt(event: MouseEvent): Promise<void> {
  const name = await nodeAt(event)
  const title = (event.target as Element).querySelector('title')
  if (name !== undefined && title) title.textContent = name
}

async function nodeAt({ target, clientX, clientY }: MouseEvent): Promise<string | undefined> {
  if (!(target instanceof SVGGeometryElement) || !target.matches('.cells')) return undefined
  const group = target.closest<SVGGraphicsElement>('[data-group]')
  const address = target.closest<SVGElement | HTMLElement>('[data-names]')?.dataset['names']
  const matrix = target.getScreenCTM()
  if (!group || !address || !matrix) return undefined
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse())
  const { pitch, columns, group: name = '' } = group.dataset
  const [column, row] = [Math.floor(x / Number(pitch)), Math.floor(y / Number(pitch))]
  const index = row * Number(columns) + column
  let names = known.get(address)
  if (!names) known.set(address, (names = read(address)))
  return (await names).get(name)?.[index]?.certname
}

async function read(address: string): Promise<Groups> {
  const response = await fetch(address)
  if (!response.ok || response.redirected) return new Map()
  return Map.groupBy((await response.json()) as Cell[], ({ group }) => group)
}
