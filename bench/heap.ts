/** The heap of the Worker's isolate, as its debugger tells it. */

interface HeapUsage {
  readonly usedSize: number
}

export interface Heap {
  /** Bytes in use now. */
  readonly used: () => Promise<number>
  readonly close: () => void
}

/** @param inspector address of the debugger, which lists what can be debugged */
export async function openHeap(inspector: URL): Promise<Heap> {
  const address = new URL(inspector)
  address.protocol = 'http:'
  const response = await fetch(new URL('/json', address))
  const targets = await response.json<{ webSocketDebuggerUrl: string; id: string }[]>()
  const target = targets.find(({ id }) => id.includes('report-query-service')) ?? targets[0]
  if (!target) throw new Error('The debugger knows of no Worker.')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  const waiting = new Map<number, (usage: HeapUsage) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: HeapUsage }
    if (id !== undefined && result) waiting.get(id)?.(result)
  })
  let sent = 0
  return {
    used: async () => {
      const id = ++sent
      const usage = await new Promise<HeapUsage>((resolve) => {
        waiting.set(id, resolve)
        socket.send(JSON.stringify({ id, method: 'Runtime.getHeapUsage' }))
      })
      waiting.delete(id)
      return usage.usedSize
    },
    close: () => socket.close(),
  }
}
