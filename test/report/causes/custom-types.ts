/** Types and providers of modules, plans and tasks, failures under noop. */

import { failed, failedOn, logged, type CauseTable } from './table.ts'

export const CUSTOM_TYPES: CauseTable = {
  'Provider git is not functional on this host': [
    failed('Vcsrepo[/srv/puppetdb]', 'Provider git is not functional on this host'),
  ],
  'Saving failed, see debug output for details': [
    failed(
      'Augeas[sshd_config]',
      'Could not evaluate: Saving failed, see debug output for details',
    ),
  ],
  'iptables-save v1.8.9 (legacy): Cannot initialize: Permission denied (you must be root)': [
    logged(
      "Could not prefetch firewall provider 'iptables': Execution of '/sbin/iptables-save' returned 3: iptables-save v1.8.9 (legacy): Cannot initialize: Permission denied (you must be root)",
    ),
  ],
  'Could not find a suitable provider for augeas': [
    logged('Could not find a suitable provider for augeas'),
  ],
  'Could not find a suitable provider for docker_network': [
    logged('Could not find a suitable provider for docker_network'),
  ],
  "Error response from daemon: pull access denied for app, repository does not exist or may require 'docker login'":
    [
      failed(
        'Docker::Image[app]',
        "change from 'absent' to 'present' failed: Execution of '/usr/bin/docker pull app' returned 1: Using default tag: latest",
        "Error response from daemon: pull access denied for app, repository does not exist or may require 'docker login'",
      ),
    ],
  'Error executing SQL; psql returned pid 4711 exit 1: \'ERROR: role "app" already exists': [
    failed(
      'Postgresql_psql[CREATE ROLE app]',
      'Error executing SQL; psql returned pid 4711 exit 1: \'ERROR:  role "app" already exists',
      "'",
    ),
    failedOn(
      'db-2.example.com',
      'Postgresql_psql[CREATE ROLE app]',
      'Error executing SQL; psql returned pid 12 exit 1: \'ERROR:  role "app" already exists',
      "'",
    ),
  ],
  "Error executing SQL; psql returned pid 4711 exit 2: 'psql: error: connection refused": [
    failed(
      'Postgresql_psql[SELECT 1]',
      "Error executing SQL; psql returned pid 4711 exit 2: 'psql: error: connection refused",
    ),
  ],
  'Connection refused - connect(2) for "localhost" port 8080': [
    failed(
      'Jenkins_job[build]',
      'Could not evaluate: Connection refused - connect(2) for "localhost" port 8080',
    ),
    failed(
      'Jenkins_job[build]',
      "Could not evaluate: Connection refused - connect(2) for 'localhost' port 9090",
    ),
  ],
  'Concat fragment base has no content': [
    failed('Concat_fragment[base]', 'Concat fragment base has no content'),
  ],
  'sysctl: setting key "net.ipv4.ip_forward": Read-only file system': [
    failed(
      'Sysctl[net.ipv4.ip_forward]',
      "change from '0' to '1' failed: Execution of '/sbin/sysctl -w net.ipv4.ip_forward=1' returned 255: sysctl: setting key \"net.ipv4.ip_forward\": Read-only file system",
    ),
  ],
  'Dsc_windowsfeature[web] returned 1': [
    failed('Dsc_windowsfeature[web]', "Execution of 'powershell.exe -File x.ps1' returned 1: "),
  ],
  "The specified module 'PSDscResources' with PowerShell was not found in any module directory.": [
    failed(
      'Dsc_group[ops]',
      "Could not evaluate: The specified module 'PSDscResources' with PowerShell was not found in any module directory.",
    ),
  ],
  // A plan's report, and a run under noop that could not look.
  "Plan aborted: run_task 'service::linux' failed on 3 targets": [
    logged("Plan aborted: run_task 'service::linux' failed on 3 targets"),
    logged("Plan aborted: run_task 'service::linux' failed on 12 targets"),
  ],
  "Plan aborted: run_task 'package' failed on 1 target": [
    logged("Plan aborted: run_task 'package' failed on 1 target"),
  ],
  'Could not retrieve file metadata for puppet:///modules/web/noop.conf: Connection refused': [
    failed(
      'File[/etc/noop]',
      'Could not evaluate: Could not retrieve file metadata for puppet:///modules/web/noop.conf: Connection refused',
    ),
  ],
}
