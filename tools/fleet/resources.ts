/** The resources of the made-up company as data: how they can change and how they fail. */

import type { Role } from './estate.ts'
import type { Random } from './random.ts'

/** A resource, and the change of one of its properties. */
export interface Managed {
  readonly type: string
  readonly title: string
  readonly classes: readonly string[]
  /** Below the modules of the environment. */
  readonly file: string
  readonly line: number
  readonly property: string
  readonly event: string
  /** The old and the new value. */
  readonly values: (random: Random) => readonly [unknown, unknown]
  /** The message of a failure. */
  readonly failure: string
  /** The message of a successful change, if it is not "changed from … to …". */
  readonly success?: string
}

type Change = Pick<Managed, 'property' | 'event' | 'values' | 'failure' | 'success'>

const checksum = (random: Random): string => `{sha256}${random.hex(64)}`

const CONTENT: Change = {
  property: 'content',
  event: 'content_changed',
  values: (random) => [checksum(random), checksum(random)],
  failure: "Could not set 'file' on ensure: No space left on device @ rb_sysopen",
}
const MODE: Change = {
  property: 'mode',
  event: 'mode_changed',
  values: (random) => [random.pick(['0644', '0664', '0755']), '0600'],
  failure: 'failed to set mode: Operation not permitted @ apply2files',
}
const running = (unit: string): Change => ({
  property: 'ensure',
  event: 'ensure_changed',
  values: () => ['stopped', 'running'],
  failure: `Systemd start for ${unit} failed!\njournalctl log for ${unit}:\n-- No entries --\n`,
})
const upgraded = (name: string, from: string, to: string): Change => ({
  property: 'ensure',
  event: 'ensure_changed',
  values: () => [`${from}-1`, `${to}-1`],
  failure: `Could not update: Execution of '/usr/bin/apt-get -q -y -o DPkg::Options::=--force-confold install ${name}=${to}-1' returned 100: Reading package lists...\nBuilding dependency tree...\nE: Failed to fetch https://packages.example.net/pool/${name}_${to}-1_amd64.deb  503  Service Unavailable\n`,
})
const executed = (command: string): Change => ({
  property: 'returns',
  event: 'executed_command',
  values: () => ['notrun', ['0']],
  success: 'executed successfully',
  failure: `'${command}' returned 1 instead of one of [0]`,
})
const value = (before: unknown, after: unknown, property = 'value'): Change => ({
  property,
  event: `${property}_changed`,
  values: () => [before, after],
  failure: `Could not set '${property}': value is not allowed here`,
})
const CREATED: Change = {
  property: 'ensure',
  event: 'created',
  values: () => ['absent', 'present'],
  success: 'created',
  failure: 'Could not create: Permission denied @ dir_initialize',
}

const managed = (resource: string, classes: string, place: string, change: Change): Managed => {
  const [, type, title] = /^([^[]+)\[(.*)\]$/.exec(resource)!
  const [file, line] = place.split(':')
  return {
    type: type!,
    title: title!,
    classes: classes.split(' '),
    file: file!,
    line: Number(line),
    ...change,
  }
}

/** Resources of every node. */
const COMMON: readonly Managed[] = [
  managed('File[/etc/motd]', 'Profile::Base Motd', 'motd/manifests/init.pp:18', CONTENT),
  managed(
    'File[/etc/ssh/sshd_config]',
    'Profile::Base Ssh Ssh::Server',
    'ssh/manifests/server.pp:41',
    CONTENT,
  ),
  managed(
    'File[/etc/sudoers.d/operators]',
    'Profile::Base Sudo',
    'sudo/manifests/init.pp:63',
    MODE,
  ),
  managed(
    'Package[openssl]',
    'Profile::Base Profile::Packages',
    'profile/manifests/packages.pp:12',
    upgraded('openssl', '3.0.15', '3.0.16'),
  ),
  managed(
    'Package[tzdata]',
    'Profile::Base Profile::Packages',
    'profile/manifests/packages.pp:12',
    upgraded('tzdata', '2025b', '2026a'),
  ),
  managed(
    'Service[chrony]',
    'Profile::Base Chrony Chrony::Service',
    'chrony/manifests/service.pp:9',
    running('chrony'),
  ),
  managed(
    'Exec[apt_update]',
    'Apt Apt::Update',
    'apt/manifests/update.pp:14',
    executed('/usr/bin/apt-get update'),
  ),
  managed(
    'Sysctl[vm.swappiness]',
    'Profile::Base Profile::Kernel',
    'profile/manifests/kernel.pp:22',
    value('60', '10'),
  ),
  managed(
    'User[deploy]',
    'Profile::Base Accounts',
    'accounts/manifests/user.pp:77',
    value(['adm'], ['adm', 'deploy'], 'groups'),
  ),
  managed(
    'Cron[collect inventory]',
    'Profile::Base Profile::Inventory',
    'profile/manifests/inventory.pp:31',
    value('5', '35', 'minute'),
  ),
  managed(
    'File_line[limits nofile]',
    'Profile::Base Profile::Limits',
    'profile/manifests/limits.pp:8',
    CREATED,
  ),
]

/** Resources that each role adds. */
const OF_ROLE: Readonly<Record<Role, readonly Managed[]>> = {
  web: [
    managed(
      'File[/etc/nginx/sites-enabled/shop.conf]',
      'Role::Web Profile::Nginx Nginx Nginx::Config',
      'nginx/manifests/site.pp:54',
      CONTENT,
    ),
    managed(
      'Service[nginx]',
      'Role::Web Profile::Nginx Nginx Nginx::Service',
      'nginx/manifests/service.pp:16',
      running('nginx'),
    ),
    managed(
      'Exec[nginx -t]',
      'Role::Web Profile::Nginx Nginx Nginx::Config',
      'nginx/manifests/config.pp:88',
      executed('/usr/sbin/nginx -t'),
    ),
  ],
  database: [
    managed(
      'File[/etc/postgresql/16/main/conf.d/memory.conf]',
      'Role::Database Profile::Postgres Postgres::Config',
      'postgres/manifests/config.pp:29',
      CONTENT,
    ),
    managed(
      'Service[postgresql]',
      'Role::Database Profile::Postgres Postgres::Service',
      'postgres/manifests/service.pp:11',
      running('postgresql'),
    ),
    managed(
      'Postgres_setting[shared_buffers]',
      'Role::Database Profile::Postgres Postgres::Config',
      'postgres/manifests/config.pp:47',
      value('4GB', '6GB'),
    ),
  ],
  queue: [
    managed(
      'Queue_policy[orders-ha]',
      'Role::Queue Profile::Queue',
      'profile/manifests/queue.pp:40',
      value({ replicas: 2 }, { replicas: 3, mode: 'exactly' }, 'definition'),
    ),
    managed(
      'Service[rabbitmq-server]',
      'Role::Queue Profile::Queue Rabbitmq::Service',
      'rabbitmq/manifests/service.pp:12',
      running('rabbitmq-server'),
    ),
  ],
  cache: [
    managed(
      'File[/etc/valkey/valkey.conf]',
      'Role::Cache Profile::Cache',
      'profile/manifests/cache.pp:25',
      CONTENT,
    ),
    managed(
      'Service[valkey-server]',
      'Role::Cache Profile::Cache',
      'profile/manifests/cache.pp:38',
      running('valkey-server'),
    ),
  ],
  gateway: [
    managed(
      'Concat_file[/etc/haproxy/haproxy.cfg]',
      'Role::Gateway Profile::Haproxy Haproxy::Config',
      'haproxy/manifests/config.pp:19',
      CONTENT,
    ),
    managed(
      'Firewall[120 accept https]',
      'Role::Gateway Profile::Firewall',
      'profile/manifests/firewall.pp:33',
      value('8443', ['443', '8443'], 'dport'),
    ),
  ],
  build: [
    managed(
      'Package[openjdk-21-jdk]',
      'Role::Build Profile::Build',
      'profile/manifests/build.pp:10',
      upgraded('openjdk-21-jdk', '21.0.7', '21.0.8'),
    ),
    managed(
      'File[/srv/build/agent.properties]',
      'Role::Build Profile::Build',
      'profile/manifests/build.pp:36',
      MODE,
    ),
  ],
  mail: [
    managed(
      'File[/etc/postfix/main.cf]',
      'Role::Mail Profile::Postfix',
      'postfix/manifests/config.pp:44',
      CONTENT,
    ),
    managed(
      'Exec[newaliases]',
      'Role::Mail Profile::Postfix',
      'postfix/manifests/aliases.pp:7',
      executed('/usr/bin/newaliases'),
    ),
  ],
  storage: [
    managed(
      'Mount[/srv/archive]',
      'Role::Storage Profile::Archive',
      'profile/manifests/archive.pp:21',
      value('defaults', 'defaults,noatime', 'options'),
    ),
    managed(
      'Service[smartmontools]',
      'Role::Storage Profile::Disks',
      'profile/manifests/disks.pp:15',
      running('smartmontools'),
    ),
  ],
}

const BY_ROLE = new Map(
  (Object.keys(OF_ROLE) as Role[]).map((role) => [role, [...OF_ROLE[role], ...COMMON]]),
)

/** All resources that may change on a node of the role. */
export const managedBy = (role: Role): readonly Managed[] => BY_ROLE.get(role)!

/** The resource with that name, such as `Package[openssl]`. */
export function managedResource(role: Role, name: string): Managed {
  const found = managedBy(role).find(({ type, title }) => `${type}[${title}]` === name)
  if (!found) throw new Error(`no node of role ${role} manages ${name}`)
  return found
}
