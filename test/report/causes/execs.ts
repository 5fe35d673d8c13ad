/** Execs: what they return, what they lack, when they hang. Also Vcsrepo and others that run commands. */

import { failed, failedOn, type CauseTable } from './table.ts'

const RAN = "change from 'notrun' to ['0'] failed: "

export const EXECS: CauseTable = {
  'Exec[db-migrate] returned 1': [
    failed('Exec[db-migrate]', `${RAN}'/opt/app/bin/migrate' returned 1 instead of one of [0]`),
    // Before Puppet 5 without quotes, the expected value as text; refreshed; drift.
    failed(
      'Exec[db-migrate]',
      'change from notrun to 0 failed: /opt/app/bin/migrate returned 1 instead of one of [0]',
    ),
    failed(
      'Exec[db-migrate]',
      "Failed to call refresh: '/opt/app/bin/migrate' returned 1 instead of one of [0]",
    ),
    failed(
      'Exec[db-migrate]',
      `${RAN}'/opt/app/bin/migrate --host web-1' returned 1 instead of one of [0] (corrective)`,
    ),
    failed('Exec[db-migrate]', `${RAN}[command redacted] returned 1 instead of one of [0,2]`),
  ],
  'Exec[db-migrate] returned 2': [
    failed('Exec[db-migrate]', `${RAN}'/opt/app/bin/migrate' returned 2 instead of one of [0]`),
  ],
  'Exec[apt_update] returned 100': [
    failed(
      'Exec[apt_update]',
      `${RAN}'/usr/bin/apt-get update' returned 100 instead of one of [0]`,
    ),
    failedOn(
      'db-4.example.com',
      'Exec[apt_update]',
      `${RAN}'/usr/bin/apt-get update' returned 100 instead of one of [0]`,
    ),
  ],
  'Exec[reload-haproxy] returned 2': [
    failed(
      'Exec[reload-haproxy]',
      `${RAN}'systemctl reload haproxy' returned 2 instead of one of [0]`,
    ),
  ],
  'Exec[/usr/bin/newaliases] returned 75': [
    failed(
      'Exec[/usr/bin/newaliases]',
      `${RAN}'/usr/bin/newaliases' returned 75 instead of one of [0]`,
    ),
  ],
  'Exec[register ‹node›] returned 1': [
    failed(
      'Exec[register web-1.example.com]',
      `${RAN}'/bin/register' returned 1 instead of one of [0]`,
    ),
    failedOn(
      'web-2.example.com',
      'Exec[register web-2.example.com]',
      `${RAN}'/bin/register' returned 1 instead of one of [0]`,
    ),
  ],
  'Exec[killed] returned 137': [
    failed('Exec[killed]', `${RAN}'/bin/long' returned 137 instead of one of [0]`),
  ],
  'Exec[backup]: Command exceeded timeout': [
    failed('Exec[backup]', `${RAN}Command exceeded timeout`),
    failed(
      'Exec[backup]',
      `${RAN}Command exceeded timeout`,
      'Wrapped exception:',
      'execution expired',
    ),
  ],
  'Exec[restore]: Command exceeded timeout': [
    failed('Exec[restore]', `${RAN}Command exceeded timeout`),
  ],
  "Could not find command '/usr/bin/nonexistent-bin'": [
    failed(
      'Exec[/usr/bin/nonexistent-bin]',
      `${RAN}Could not find command '/usr/bin/nonexistent-bin'`,
    ),
    failed('Exec[again]', `${RAN}Could not find command "/usr/bin/nonexistent-bin"`),
  ],
  "Could not find command '/opt/puppetlabs/bin/tool'": [
    failed('Exec[tool]', `${RAN}Could not find command '/opt/puppetlabs/bin/tool'`),
  ],
  "'deploy.sh' is not executable": [failed('Exec[deploy]', `${RAN}'deploy.sh' is not executable`)],
  "Working directory '/srv/app' does not exist": [
    failed('Exec[build]', `${RAN}Working directory '/srv/app' does not exist`),
    failed('Exec[w]', `${RAN}Working directory /srv/app does not exist!`),
  ],
  "Working directory '/srv/other' does not exist": [
    failed('Exec[install]', `${RAN}Working directory '/srv/other' does not exist`),
  ],
  'No such file or directory - pg_dump': [
    failed('Exec[dump]', 'Could not evaluate: No such file or directory - pg_dump'),
  ],
  "fatal: unable to access 'https://git.example.com/app.git/': Could not resolve host: git.example.com":
    [
      failed(
        'Vcsrepo[/srv/app]',
        "change from 'absent' to 'latest' failed: Execution of '/usr/bin/git clone https://git.example.com/app.git /srv/app' returned 128: Cloning into '/srv/app'...",
        "fatal: unable to access 'https://git.example.com/app.git/': Could not resolve host: git.example.com",
      ),
      failed(
        'Vcsrepo[/srv/tools]',
        "Execution of '/usr/bin/git clone https://git2.example.com/tools.git /srv/tools' returned 128: Cloning into '/srv/tools'...",
        "fatal: unable to access 'https://git2.example.com/tools.git/': Could not resolve host: git2.example.com",
      ),
    ],
  "fatal: repository 'https://git.example.com/gone.git/' not found": [
    failed(
      'Vcsrepo[/srv/gone]',
      "Execution of '/usr/bin/git clone https://git.example.com/gone.git /srv/gone' returned 128: Cloning into '/srv/gone'...",
      'remote: Counting objects: 3, done.',
      "fatal: repository 'https://git.example.com/gone.git/' not found",
    ),
  ],
  'git@git.example.com: Permission denied (publickey).': [
    failed(
      'Vcsrepo[/srv/private]',
      "Execution of '/usr/bin/git clone git@git.example.com:private.git /srv/private' returned 128: Cloning into '/srv/private'...",
      'git@git.example.com: Permission denied (publickey).',
      'fatal: Could not read from remote repository.',
      '',
      'Please make sure you have the correct access rights',
      'and the repository exists.',
    ),
  ],
  "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)": [
    failed(
      'Mysql_database[app]',
      "change from 'absent' to 'present' failed: Execution of '/usr/bin/mysql -NBe create database app' returned 1: mysql: [Warning] Using a password on the command line interface can be insecure.",
      "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)",
    ),
  ],
  "ERROR 2002 (HY000): Can't connect to local MySQL server through socket '/var/run/mysqld/mysqld.sock' (2)":
    [
      failed(
        'Mysql_user[app@%]',
        "Could not evaluate: Execution of '/usr/bin/mysql -NBe select 1' returned 1: ERROR 2002 (HY000): Can't connect to local MySQL server through socket '/var/run/mysqld/mysqld.sock' (2)",
      ),
    ],
  'ValueError: unknown cipher': [
    failed(
      'Exec[keys]',
      "Execution of '/usr/bin/keys' returned 1: Traceback (most recent call last):",
      '  File "/usr/bin/keys", line 12, in <module>',
      'ValueError: unknown cipher',
    ),
  ],
  'Only root can execute commands as other users': [
    failed(
      'Exec[u]',
      "change from 'notrun' to ['0'] failed: Only root can execute commands as other users",
    ),
  ],
}
