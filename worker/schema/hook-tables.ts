/** The tables of hooks, as tables.ts has the others. */

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** In ms since 1970, UTC. */
const time = integer

/** Who is told of what: a rule and the address that its messages go to. */
export const hooks = sqliteTable('hooks', {
  name: text('name').primaryKey(),
  /** A name of TRANSITIONS (transitions.ts). */
  transition: text('transition').notNull(),
  /** Of silence; of no meaning to the others. */
  hours: integer('hours').notNull(),
  /** A condition on reports, in PQL without the entity; `''` for all. */
  filter: text('filter').notNull(),
  /** The name of a cause that failures must have; `''` for any. */
  cause: text('cause').notNull(),
  url: text('url').notNull(),
  /** Where the console was when the hook was made: messages link to it. */
  origin: text('origin').notNull(),
  /** What messages are signed with: the other side needs the same, so that it can't be a digest. */
  secret: text('secret').notNull(),
  created: time('created').notNull(),
  /** Everything that had arrived by then has been looked at. */
  cursor: time('cursor').notNull(),
})

/** The last messages of each hook. */
export const deliveries = sqliteTable('deliveries', {
  id: integer('id').primaryKey(),
  hook: text('hook').notNull(),
  /** The message's name, the same in all attempts. */
  message: text('message').notNull(),
  body: text('body').notNull(),
  created: time('created').notNull(),
  attempts: integer('attempts').notNull(),
  /** When it is tried again; null once it is not. */
  next: time('next'),
  delivered: time('delivered'),
  /** What came of the last attempt, in words. */
  outcome: text('outcome'),
})
