/** What the launcher of a self-hosted service found lost in the log of the database, as SQLite says nothing of it. */

import type { Database } from '../store/database.ts'
import type { CheckedPage, CheckOptions } from './checked-page.ts'

export const checkLog = (
  _database: Database,
  _after: number,
  { lostLog }: Pick<CheckOptions, 'lostLog'>,
): Promise<CheckedPage> => {
  const problems =
    lostLog === null
      ? []
      : [
          {
            invariant: 'the log of the database has all that was committed',
            where: lostLog.where,
            remedy: lostLog.remedy,
          },
        ]
  return Promise.resolve({ checked: problems.length, problems, next: null })
}
