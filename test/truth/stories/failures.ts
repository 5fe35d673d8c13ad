/** The ways in which runs of stories fail. The name of each is the cause, whatever the service calls it. */

export interface Failure {
  /** The whole message. */
  readonly message: string
  /** `resource`: a resource fails. `catalog`: the catalog does not compile. `connection`: no server answers. */
  readonly kind: 'resource' | 'catalog' | 'connection'
  readonly resource?: readonly [type: string, title: string]
}

const FUNCTION =
  'Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Evaluation Error: Error while evaluating a Function Call, '

export const FAILURES = {
  package: {
    message: "change from 'purged' to 'present' failed: Could not find package nginx-extras",
    kind: 'resource',
    resource: ['Package', 'nginx-extras'],
  },
  mirror: {
    message:
      "Execution of '/usr/bin/dnf -d 0 -e 1 -y install curl' returned 1: Error: Failed to download metadata for repo 'base'",
    kind: 'resource',
    resource: ['Package', 'curl'],
  },
  disk: {
    message: 'Could not set content on file: No space left on device @ rb_sysopen - /etc/motd',
    kind: 'resource',
    resource: ['File', '/etc/motd'],
  },
  service: {
    message: "change from 'stopped' to 'running' failed: Systemd start for postgresql failed!",
    kind: 'resource',
    resource: ['Service', 'postgresql'],
  },
  missing: {
    message: `${FUNCTION}Could not find class ::profile::missing for node (file: /code/site.pp, line: 7, column: 3)`,
    kind: 'catalog',
  },
  parameter: {
    message: `${FUNCTION}Could not find data item 'profile::port' in any Hiera data file (file: /code/port.pp, line: 3, column: 1)`,
    kind: 'catalog',
  },
  refused: {
    message:
      'Could not retrieve catalog from remote server: Request to https://puppet.example.com:8140/puppet/v3 failed after 0.003 seconds: Failed to open TCP connection to puppet.example.com:8140 (Connection refused - connect(2) for "puppet.example.com" port 8140)',
    kind: 'connection',
  },
  certificate: {
    message:
      'Could not retrieve catalog from remote server: SSL_connect returned=1 errno=0 state=error: certificate verify failed (certificate has expired): [certificate has expired for CN=puppet.example.com]',
    kind: 'connection',
  },
} as const satisfies Readonly<Record<string, Failure>>
export type FailureName = keyof typeof FAILURES

/** The cause that a message is of; null for a line that follows from another. Samples begin with a resource. */
export const causeOfMessage = (message: string): FailureName | null =>
  (Object.keys(FAILURES) as FailureName[]).find((name) =>
    message.endsWith(FAILURES[name].message),
  ) ?? null
