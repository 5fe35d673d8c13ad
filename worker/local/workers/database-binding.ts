/**
 * Connects the runtime's own D1 binding to the object that holds the database: the binding
 * calls the `fetch` that this module exports. This saves a hop through another Worker.
 */

interface Bindings {
  readonly objects: DurableObjectNamespace
}

/** The one object that holds the database. Its name is unchanged since the first release of `npm start`. */
const NAME = 'reports'

const makeBinding = ({ objects }: Bindings): Pick<Fetcher, 'fetch'> => ({
  fetch: (input: RequestInfo, init?: RequestInit) =>
    objects.get(objects.idFromName(NAME)).fetch(input, init),
})

export default makeBinding
