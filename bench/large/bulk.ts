/** Gives a stopped service's database many more reports than anybody could load: a plain Node copies those that are there. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { inFolder } from '../folder.ts'
import { databaseIn, nodeWithSqlite, QUIET } from '../plain/floor.ts'
import { buildProgram } from '../program.ts'

/**
 * Copies each report so often, each copy 31 minutes older than the one before. Also makes the reports that are there look as
 * if they had come in time. Copies `between` are of unchanged runs, at most nine, three minutes apart.
 *
 * @param data folder of the database; no service may use it
 */
export const copyReports = (
  data: string,
  copies: number,
  place: 'before' | 'between' = 'before',
): Promise<void> =>
  inFolder('bulk', async (folder) => {
    const command = await nodeWithSqlite()
    if (command === null) throw new Error('No Node with node:sqlite can be had: it needs Node 22.')
    const program = join(folder, 'copy-reports.mjs')
    await buildProgram('bench/large/copy-reports.ts', program)
    const [node, ...args] = [...command, program, await databaseIn(data), String(copies), place]
    const child = spawn(node, args, { env: QUIET, stdio: ['ignore', 'inherit', 'inherit'] })
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`Copying the reports ended with ${String(code)}.`)
  })
