/**
 * Connects D1's binding, which is the runtime's own, to the object that holds the database: the binding
 * calls `fetch` of what this module makes. It saves the hop through a Worker between them.
 */

interface Bindings {
  readonly objects: DurableObjectNamespace
}

/** One object holds the one database; it goes by this name since the first release of `npm start`. */
const NAME = 'reports'

const makeBinding = ({ objects }: Bindings): Pick<Fetcher, 'fetch'> => ({
  fetch: (input: RequestInfo, init?: RequestInit) =>
    objects.get(objects.idFromName(NAME)).fetch(input, init),
})

export default makeBinding
