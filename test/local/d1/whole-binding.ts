/** The methods of D1 that the service does not use, on top of those that the binding beside the database has. */

type Connection = Pick<D1Database, 'prepare' | 'batch'>

export function wholeBinding(binding: D1Database): D1Database {
  const withMethods = <Given extends Connection>(connection: Given): Given => ({
    ...connection,
    prepare: (sql: string) => withAll(connection, connection.prepare(sql).bind(), sql),
  })
  return {
    ...withMethods(binding),
    withSession: (constraint?: string) => withMethods(binding.withSession(constraint)),
  } as D1Database
}

const withAll = (
  connection: Connection,
  statement: D1PreparedStatement,
  sql: string,
): D1PreparedStatement => {
  const all = async () => (await connection.batch([statement]))[0]
  return {
    ...statement,
    bind: (...values: unknown[]) =>
      withAll(connection, connection.prepare(sql).bind(...values), sql),
    all,
    run: all,
  } as D1PreparedStatement
}
