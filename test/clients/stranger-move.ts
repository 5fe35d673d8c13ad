/** A stranger's move from PuppetDB: reports of one service are imported into another one, and the answers of both compared. */

import { expect } from './compare.ts'
import type { Documented } from './documented.ts'
import type { Stranger } from './stranger.ts'

const PAGE = 'how-to/move-from-puppetdb.md'
const IMPORT = `report-query-service import https://puppetdb.example.com:8081 --to https://reports.example.com --token ADMIN_TOKEN --since 14d --certname web1.example.com --certname 'db*'`
const COMPARE = `report-query-service compare --puppetdb http://localhost:8080 --here https://reports.example.com --token READ_TOKEN --since 14d`

/** @param reader their token, and the node that has one report in the folder `data` */
export async function moveReports(
  stranger: Stranger,
  docs: Documented,
  { token, certname }: { readonly token: string; readonly certname: string },
): Promise<void> {
  // In the place of a PuppetDB, which lets everyone on its machine in: the same data, open.
  const puppetdb = await stranger.leaveRunning('report-query-service start --data data --port 0', {
    ACCESS: 'open',
  })
  const target = await stranger.leaveRunning(
    'report-query-service start --data moved --port 0 --tokens tokens.txt',
  )
  const imported = await stranger.type(
    await docs.command(PAGE, IMPORT, {
      ADMIN_TOKEN: token,
      'https://reports.example.com': target.url,
      'https://puppetdb.example.com:8081': puppetdb.url,
      'web1.example.com': certname,
    }),
  )
  expect(/^stored +1$/m.test(imported), imported)
  const compared = await stranger.type(
    await docs.command(PAGE, COMPARE, {
      READ_TOKEN: token,
      'https://reports.example.com': target.url,
      'http://localhost:8080': puppetdb.url,
      // The report is younger than those that it compares by itself.
      '14d': '14d --until 0s',
    }),
  )
  expect(/^whole reports +1 rows +equal$/m.test(compared), compared)
  await Promise.all([puppetdb.stop(), target.stop()])
}
