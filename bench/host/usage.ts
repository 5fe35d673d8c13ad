/** Memory and CPU time of a process and its descendants (Linux). */

import { readFileSync } from 'node:fs'
import { treeOf } from '../../test/local/processes.ts'

export interface Memory {
  /** Resident memory in bytes; shared pages count once for each process. */
  readonly resident: number
  /** The same, with each shared page divided among its processes. */
  readonly proportional: number
}

export function memoryOfTree(root: number): Memory {
  const all = treeOf(root).map((pid) => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
  const sum = (name: string): number =>
    all.reduce(
      (bytes, text) => bytes + 1024 * Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(text)![1]),
      0,
    )
  return { resident: sum('Rss'), proportional: sum('Pss') }
}

const MS_PER_TICK = 10

/** CPU time since the start, in ms; the kernel counts in ticks of 10 ms. */
export const cpuOfTree = (root: number): number =>
  treeOf(root)
    .map((pid) => readFileSync(`/proc/${pid}/stat`, 'utf8'))
    .map((text) => text.slice(text.lastIndexOf(')') + 2).split(' '))
    .reduce((ms, fields) => ms + MS_PER_TICK * (Number(fields[11]) + Number(fields[12])), 0)
