/** What runs below a process, and where it listens (Linux). */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The process and all below it. */
export function treeOf(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    const parent = parentOf(name)
    if (parent !== null) parents.set(Number(name), parent)
  }
  const below = (pid: number): number[] => [
    pid,
    ...[...parents].filter(([, parent]) => parent === pid).flatMap(([child]) => below(child)),
  ]
  return below(root)
}

/** The field behind the command, which may hold anything. Null for a process that has just ended. */
function parentOf(pid: string): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

export interface Listening {
  /** Ports, of any address. */
  readonly tcp: readonly number[]
  /** Paths. */
  readonly unix: readonly string[]
}

/** The words of a file of /proc, without its heading. */
const rowsOf = (file: string): string[][] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))

/** All sockets that the processes listen on. */
export function listeningSockets(pids: readonly number[]): Listening {
  const inodes = new Set(pids.flatMap(inodesOf))
  const tcp = ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap(rowsOf)
    .filter((row) => row[3] === LISTENS && inodes.has(row[9]!))
    .map((row) => parseInt(row[1]!.split(':')[1]!, 16))
  const unix = rowsOf('/proc/net/unix')
    .filter((row) => (parseInt(row[3]!, 16) & ACCEPTS) !== 0 && inodes.has(row[6]!))
    .map((row) => row[7] ?? '')
  return { tcp, unix }
}

/** How many connections to the socket at the path are open. */
export const connectionsTo = (path: string): number =>
  rowsOf('/proc/net/unix').filter((row) => row[7] === path && row[5] === CONNECTED).length

/** Source: include/net/tcp_states.h and include/uapi/linux/net.h of Linux. */
const CONNECTED = '03'
const LISTENS = '0A'
const ACCEPTS = 0x10000

function inodesOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap(
      (fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
    )
  } catch {
    return []
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** Processes of workerd below the process. */
export const runtimesOf = (root: number): number[] =>
  treeOf(root).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'workerd'
    } catch {
      return false
    }
  })
