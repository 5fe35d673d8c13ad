/** What D1 and SQLite allow, where we have to keep below it. Source: D1's page of limits, and probing workerd. */

/** Bound parameters of one statement. */
export const MOST_PARAMETERS = 100
/** Bytes of one statement's text. */
export const LONGEST_STATEMENT = 100_000
/** Bytes of a row, a text, a BLOB or a parameter. */
export const LONGEST_VALUE = 2_000_000
/** Bytes to which lists that travel as one JSON parameter are cut: well below the longest value. */
export const LONGEST_LIST = 900_000
/** Bytes of a BLOB that is written and read as hex, which doubles it. */
export const LONGEST_BODY = 960_000
