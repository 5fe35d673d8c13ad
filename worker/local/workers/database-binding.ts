/**
 * Connects the runtime's own D1 binding to the object that holds the database, for the launcher's operations: the
 * binding calls the `fetch` that this module exports. The service itself runs in the object, beside the database.
 */

import type { BindingAnswer } from './database.ts'

interface Bindings {
  readonly objects: DurableObjectNamespace
}

/** The object's method, called by its name. */
interface Queried {
  readonly query: (text: string, whole: boolean) => Promise<BindingAnswer>
}

/** The one object that holds the database. Its name is unchanged since the first release of `npm start`. */
export const OBJECT = 'reports'
const BOOKMARK = 'x-cf-d1-session-commit-token'

const makeBinding = ({ objects }: Bindings): Pick<Fetcher, 'fetch'> => ({
  async fetch(input: RequestInfo, init?: RequestInit) {
    const object = objects.get(objects.idFromName(OBJECT)) as unknown as Queried
    const whole = String(input).includes('resultsFormat=ROWS_AND_COLUMNS')
    const { text, bookmark } = await object.query(init!.body as string, whole)
    return new Response(text, { headers: { [BOOKMARK]: bookmark } })
  },
})

export default makeBinding
