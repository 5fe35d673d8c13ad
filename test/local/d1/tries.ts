/** What is tried on a D1 binding: each try has tables of its own, and settles with whatever the binding makes of it. */

export type Try = (db: D1Database) => Promise<unknown>

const table = async (db: D1Database, name: string): Promise<void> => {
  await db.prepare(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, text TEXT UNIQUE)`).run()
}
const all = (sql: string, ...values: unknown[]): Try => {
  return (db) =>
    db
      .prepare(sql)
      .bind(...values)
      .all()
}
const bytesOf = (length: number): Uint8Array => new Uint8Array(length).map((_, index) => index)
const many = (length: number, text: (index: number) => string, separator = ','): string =>
  Array.from({ length }, (_, index) => text(index)).join(separator)

export const TRIES: Readonly<Record<string, Try>> = {
  // Forms of an answer.
  'all: rows as objects': all("SELECT 1 AS one, 'x' AS text UNION ALL SELECT 2, null"),
  'all: no rows': all('SELECT 1 AS one WHERE 0'),
  'all: two columns of one name': all('SELECT 1 AS a, 2 AS a'),
  'first: a row': (db) => db.prepare('SELECT 1 AS one, 2 AS two').first(),
  'first: a column': (db) => db.prepare('SELECT 1 AS one, 2 AS two').first('two'),
  'first: no row': (db) => db.prepare('SELECT 1 AS one WHERE 0').first(),
  'first: a column that is not there': (db) => db.prepare('SELECT 1 AS one').first('two'),
  'raw: rows as lists': (db) => db.prepare('SELECT 1 AS one, 2 AS one').raw(),
  'raw: with names': (db) => db.prepare('SELECT 1 AS one, 2 AS one').raw({ columnNames: true }),
  'run: of a read': (db) => db.prepare('SELECT 1 AS one').run(),
  // Types of values.
  'null, integer, real, text': all(
    'SELECT ?1 AS a, ?2 AS b, ?3 AS c, ?4 AS d',
    null,
    7,
    1.5,
    'é日',
  ),
  'types of them': all('SELECT typeof(?1) AS a, typeof(?2) AS b, typeof(?3) AS c', 7, 1.5, 'x'),
  booleans: all('SELECT ?1 AS a, ?2 AS b', true, false),
  bytes: all('SELECT ?1 AS a, hex(?1) AS b, typeof(?1) AS c', bytesOf(300)),
  'a buffer of bytes': all('SELECT ?1 AS a', bytesOf(3).buffer),
  'no bytes': all('SELECT ?1 AS a, length(?1) AS b', new Uint8Array()),
  undefined: all('SELECT ?1 AS a', undefined),
  'an object': all('SELECT ?1 AS a', {}),
  'a big integer of JavaScript': all('SELECT ?1 AS a', 2n ** 40n),
  'an integer beyond a double': all('SELECT 9223372036854775807 AS a'),
  infinity: all('SELECT 9e999 AS a, -9e999 AS b'),
  'a number by its place, twice': all('SELECT ?2 AS a, ?1 AS b, ?2 AS c', 'x', 'y'),
  'too few values': all('SELECT ?1 AS a, ?2 AS b', 1),
  'too many values': all('SELECT ?1 AS a', 1, 2),
  'a value by a name': all('SELECT :name AS a', 1),
  // Writes and what is said of them.
  'insert, update, delete': async (db) => {
    await table(db, 'writes')
    return [
      await db.prepare('INSERT INTO writes (text) VALUES (?), (?)').bind('a', 'b').run(),
      await db.prepare('UPDATE writes SET text = text || ?').bind('x').run(),
      await db.prepare('DELETE FROM writes WHERE id = 2').run(),
      await db.prepare('SELECT * FROM writes').all(),
      await db.prepare('DELETE FROM writes WHERE 0').run(),
    ]
  },
  returning: async (db) => {
    await table(db, 'returned')
    return db.prepare("INSERT INTO returned (text) VALUES ('a') RETURNING id, text").all()
  },
  'rows read by an index, and without': async (db) => {
    await table(db, 'metered')
    await db.prepare(`INSERT INTO metered (text) VALUES ${many(20, (n) => `('${n}')`)}`).run()
    return [
      await db.prepare("SELECT id FROM metered WHERE text = '7'").all(),
      await db.prepare("SELECT id FROM metered WHERE text || '' = '7'").all(),
    ]
  },
  // Batches.
  'a batch': async (db) => {
    await table(db, 'batched')
    const insert = db.prepare('INSERT INTO batched (text) VALUES (?)')
    return db.batch([insert.bind('a'), insert.bind('b'), db.prepare('SELECT * FROM batched')])
  },
  'a batch that fails leaves nothing': async (db) => {
    await table(db, 'failed')
    const insert = db.prepare('INSERT INTO failed (text) VALUES (?)')
    const error = await db
      .batch([insert.bind('a'), insert.bind('b'), insert.bind('a')])
      .catch(String)
    return [error, await db.prepare('SELECT * FROM failed').all()]
  },
  'an empty batch': (db) => db.batch([]),
  'a batch of reads': (db) => db.batch([db.prepare('SELECT 1 AS a'), db.prepare('SELECT 2 AS a')]),
  'a failing read in a batch': (db) =>
    db.batch([db.prepare('SELECT 1 AS a'), db.prepare('SELECT * FROM nowhere')]),
  // Several statements in one text.
  'exec: lines': (db) => db.exec('CREATE TABLE lines (a);\nINSERT INTO lines VALUES (1);'),
  'exec: a failure': (db) => db.exec('SELECT 1;\nSELECT * FROM nowhere;'),
  'two statements in one': all('SELECT 1 AS a; SELECT 2 AS b'),
  'no statement': all(''),
  'a comment alone': all('-- nothing'),
  'an indented comment, then a statement': all('SELECT 1 AS a\n  -- of it\n, 2 AS b'),
  // Limits and what is forbidden.
  'a mistake': all('SELEC 1'),
  'no such table': all('SELECT * FROM nowhere'),
  'no such column': all('SELECT nothing'),
  'a constraint': async (db) => {
    await table(db, 'constrained')
    const insert = db.prepare("INSERT INTO constrained (text) VALUES ('a')")
    await insert.run()
    return insert.run()
  },
  '100 columns': all(`SELECT ${many(100, (n) => `${n} AS c${n}`)}`),
  '101 columns': all(`SELECT ${many(101, (n) => `${n} AS c${n}`)}`),
  '100 values': all(`SELECT ${many(100, () => '?', ' + ')} AS a`, ...bytesOf(100)),
  '101 values': all(`SELECT ${many(101, () => '?', ' + ')} AS a`, ...bytesOf(101)),
  'a statement of 100,000 bytes': all(`SELECT 1 AS a --${'x'.repeat(99_984)}`),
  'one of more': all(`SELECT 1 AS a --${'x'.repeat(100_100)}`),
  'a value of 2 MB': all('SELECT length(?1) AS a', 'x'.repeat(2_000_000)),
  'one of more than 2 MB': all('SELECT length(?1) AS a', 'x'.repeat(2_200_000)),
  'a result of more than 2 MB': all("SELECT replace(hex(zeroblob(1200000)), '0', 'xy') AS a"),
  'a pattern of 50 bytes': all('SELECT ?1 LIKE ?2 AS a', 'x', `${'x'.repeat(49)}%`),
  'one of more bytes': all('SELECT ?1 LIKE ?2 AS a', 'x', `${'x'.repeat(51)}%`),
  deep: all(`SELECT ${'('.repeat(90)}1${')'.repeat(90)} AS a`),
  'too deep': all(`SELECT ${many(200, () => '1', ' + ')} AS a`),
  'six terms': all(many(6, (n) => `SELECT ${n} AS a`, ' UNION ALL ')),
  'a function that is forbidden': all("SELECT load_extension('x')"),
  'a transaction of its own': all('BEGIN'),
  'a savepoint': all('SAVEPOINT one'),
  'another database': all("ATTACH ':memory:' AS other"),
  vacuum: all('VACUUM'),
  'a PRAGMA that is allowed': async (db) => {
    await table(db, 'described')
    return db.prepare('PRAGMA table_info(described)').all()
  },
  'a PRAGMA that is not': all('PRAGMA journal_mode'),
  'a PRAGMA for deferring constraints': all('PRAGMA defer_foreign_keys = on'),
  'a table of the system': all('SELECT * FROM _cf_KV'),
  'functions of JSON': all(`SELECT value ->> 0 AS a, key FROM json_each('[["x"],["y"]]')`),
  'full text': async (db) => {
    await db.prepare('CREATE VIRTUAL TABLE texts USING fts5(text)').run()
    await db.prepare("INSERT INTO texts VALUES ('of a fleet')").run()
    return db.prepare("SELECT * FROM texts WHERE texts MATCH 'fleet'").all()
  },
  // Sessions.
  'a session from any state': async (db) => {
    const session = db.withSession('first-unconstrained')
    const before = session.getBookmark()
    const rows = await session.prepare('SELECT 1 AS a').all()
    return [before, typeof session.getBookmark(), rows]
  },
  'a session after another, which has written': async (db) => {
    await table(db, 'sessions')
    const first = db.withSession('first-primary')
    await first.prepare("INSERT INTO sessions (text) VALUES ('a')").run()
    const second = db.withSession(first.getBookmark()!)
    const rows = await second.prepare('SELECT * FROM sessions').all()
    return [second.getBookmark()! >= first.getBookmark()!, rows]
  },
  'a bookmark grows with writes': async (db) => {
    await table(db, 'bookmarks')
    const session = db.withSession()
    const bookmarks: string[] = []
    for (const text of ['a', 'b', 'c']) {
      await session.prepare('INSERT INTO bookmarks (text) VALUES (?)').bind(text).run()
      bookmarks.push(session.getBookmark()!)
    }
    // Changes no row of a table, and writes the schema.
    await session.prepare('ALTER TABLE bookmarks RENAME COLUMN text TO said').run()
    bookmarks.push(session.getBookmark()!)
    return bookmarks.slice(1).map((one, index) => bookmarks[index]! < one)
  },
}
