/** How often the launcher looks after what it depends on, and how long it waits. Options of the service, so that tests need not wait as long. */

export interface Timings {
  /** Between two looks whether reports can be stored in the data folder, in ms. */
  readonly folderMs: number
  /** Between two looks at the machine for metrics, in ms. */
  readonly figuresMs: number
  /** Between two looks whether a real node has reported beside the sample fleet, in ms. */
  readonly sampleMs: number
  /** Between two looks whether the runtime's sockets are there, in ms. */
  readonly socketsMs: number
  /** Between two looks whether the TLS files or the file of tokens have changed, in ms. */
  readonly tlsFilesMs: number
  /** Until an idle connection to the runtime is closed, in ms. workerd closes one after 5 s; sooner, no request is sent just then. */
  readonly idleMs: number
  /** How long a request waits for the runtime to start again, in ms. */
  readonly patienceMs: number
  /** Between two questions whether the runtime and its readers answer, in ms. */
  readonly heartbeatMs: number
  /** How long the runtime may answer nothing before it is replaced, in ms. */
  readonly hungMs: number
  /** From when on the log says that the runtime answered late, in ms. */
  readonly lateMs: number
  /** Between two looks at the log of the database, in ms. */
  readonly logMs: number
  /** How long a query without a timeout waits for a reader, in ms. */
  readonly readerMs: number
  /** How long the requests under way may take once the service is stopping, in ms. */
  readonly stopMs: number
}

export const TIMINGS: Timings = {
  folderMs: 5000,
  figuresMs: 60_000,
  sampleMs: 2000,
  socketsMs: 5000,
  tlsFilesMs: 5000,
  idleMs: 2000,
  patienceMs: 5000,
  heartbeatMs: 5000,
  hungMs: 30_000,
  lateMs: 5000,
  logMs: 500,
  readerMs: 60_000,
  stopMs: 8000,
}
