/** Two tenants of one service: what one of them holds, and a token restricted to it. */

import { createHash } from 'node:crypto'
import type { Command } from './evaluator/report.ts'

export interface Tenant {
  /** Of the tenant, and its token. */
  readonly name: string
  /** As a line of TOKENS has them. */
  readonly restrictions: string
  readonly certname: (name: string) => boolean
  readonly environment: (name: string) => boolean
}

/** Tenants that share a service. */
export interface World {
  readonly name: string
  readonly arrange: (command: Command) => Command
  readonly tenants: readonly Tenant[]
}

const any = (): boolean => true
const NAMES = ['db1.example.com', 'gone1.example.com', 'back.example.com', 'edge-plan.example.net']

export const WORLDS: readonly World[] = [
  {
    name: 'nodes that move',
    arrange: (command) => command,
    tenants: [
      {
        name: 'patterns',
        restrictions: 'certname=web*,edge-*,factual.example.com,*odd_[name]%,plans.example.com',
        certname: (name) =>
          /^(web|edge-)|^(factual|plans)\.example\.com$|^\*odd_\[name]%$/.test(name),
        environment: any,
      },
      {
        name: 'names',
        restrictions: `certname=${NAMES.join(',')}`,
        certname: (name) => NAMES.includes(name),
        environment: any,
      },
    ],
  },
  {
    name: 'nodes that stay in their environments',
    arrange: settled,
    tenants: [
      {
        name: 'environments',
        restrictions: 'environment=production,staging',
        certname: any,
        environment: (name) => ['production', 'staging'].includes(name),
      },
      {
        name: 'both',
        restrictions: 'certname=*.example.com environment=production,dev',
        certname: (name) => name.endsWith('.example.com'),
        environment: (name) => ['production', 'dev'].includes(name),
      },
    ],
  },
]

const ENVIRONMENTS = ['production', 'staging', 'Production', 'dev']

function settled(command: Command): Command {
  if (!('environment' in command.payload)) return command
  const digest = createHash('sha1').update(command.certname).digest()
  const environment = ENVIRONMENTS[digest[0]! % ENVIRONMENTS.length]!
  return { ...command, payload: { ...command.payload, environment } }
}

/** An environment of facts that came too late is named by nothing that could be seen. */
export const arranged = ({ arrange }: World, commands: readonly Command[]): readonly Command[] =>
  commands.filter(({ payload }) => payload['environment'] !== 'older facts').map(arrange)

/** Of such commands those that a database of the tenant's alone would have been sent. */
export function ownOf(
  { certname, environment }: Tenant,
  commands: readonly Command[],
): readonly Command[] {
  const environments = new Map(
    commands.flatMap(({ certname: name, payload }) =>
      typeof payload['environment'] === 'string' ? [[name, payload['environment']]] : [],
    ),
  )
  const isOwn = (name: string): boolean =>
    certname(name) && (environment === any || environment(environments.get(name) ?? ''))
  return commands.filter((command) => isOwn(command.certname))
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Settings of a service that is closed to all but its owner and the tenants. */
export const settingsFor = ({ tenants }: World) => ({
  ACCESS: 'closed',
  TOKENS: [
    `owner admin ${sha256('owner')}`,
    ...tenants.map(
      ({ name, restrictions }) => `${name} read,submit ${sha256(name)} ${restrictions}`,
    ),
  ].join('\n'),
})

export const OWNER = { 'x-authentication': 'owner' }
