/** An error that the user of a command about history can fix; the message says how. */
export class HistoryError extends Error {}
