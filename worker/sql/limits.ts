/** The limits of D1 and SQLite that this service has to keep. Source: D1's page of limits, and probing workerd. */

/** Bound parameters of one statement. */
export const MOST_PARAMETERS = 100
/** Terms of a compound select, such as one with `union all`. */
export const MOST_COMPOUND_TERMS = 5
/** Bytes of one statement's text. */
export const LONGEST_STATEMENT = 100_000
/** Bytes of a row, a text, a BLOB or a parameter. */
export const LONGEST_VALUE = 2_000_000
/** Bytes of a list that is sent as one JSON parameter, far below the longest value; longer lists are split. */
export const LONGEST_LIST = 900_000
/** Bytes of a BLOB that is written and read in hex, which doubles it. */
export const LONGEST_BODY = 960_000
