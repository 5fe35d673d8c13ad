/** One cause whose messages differ by a version, an address, a network interface, a user or a file of a repository. */

import { failed, failedOn, logged, type CauseTable } from './table.ts'

const yum = (name: string): string =>
  `Execution of '/usr/bin/yum -d 0 -e 0 -y install ${name}' returned 1: `
const DIGEST = '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0'

export const VARIANTS: CauseTable = {
  'Service[Nginx] cannot run beside Exec[job 17]': [
    logged('Service[Nginx] cannot run beside Exec[job 17]'),
  ],
  'Service[Nginx] cannot run beside Exec[job 18]': [
    logged('Service[Nginx] cannot run beside Exec[job 18]'),
  ],
  'Error: Unable to find a match: nginx-1.20.1': [
    failed('Package[nginx]', `${yum('nginx-1.20.1')}Error: Unable to find a match: nginx-1.20.1`),
    failed('Package[nginx]', `${yum('nginx-1.24.0')}Error: Unable to find a match: nginx-1.24.0`),
    failed(
      'Package[nginx]',
      `${yum('nginx-1.24.0-1.el9')}No package nginx-1.24.0-1.el9 available.`,
    ),
  ],
  'Error: Unable to find a match: java-1.8.0-openjdk': [
    failed('Package[java]', `${yum('java')}Error: Unable to find a match: java-1.8.0-openjdk`),
  ],
  'Public key for foo-1.2.3-1.el7.x86_64.rpm is not installed': [
    failed(
      'Package[foo]',
      `${yum('foo')}Public key for foo-1.2.3-1.el7.x86_64.rpm is not installed`,
    ),
    failed(
      'Package[foo]',
      `${yum('foo')}Public key for foo-1.2.4-1.el8.x86_64.rpm is not installed`,
    ),
  ],
  'nothing provides libfoo.so.1()(64bit) needed by foo-1.2.3-1.el8.x86_64 from epel': [
    failed(
      'Package[foo]',
      `${yum('foo')}Error: `,
      ' Problem: conflicting requests',
      '  - nothing provides libfoo.so.1()(64bit) needed by foo-1.2.3-1.el8.x86_64 from epel',
    ),
    failed(
      'Package[foo]',
      `${yum('foo')}Error: `,
      ' Problem: conflicting requests',
      '  - nothing provides libfoo.so.1()(64bit) needed by foo-1.2.4-1.el8.x86_64 from epel',
    ),
  ],
  [`https://mirror.example.com/repo/repodata/${DIGEST}-filelists.sqlite.bz2: [Errno 14] HTTPS Error 404 - Not Found`]:
    [
      failed(
        'Package[foo]',
        `${yum('foo')}https://mirror.example.com/repo/repodata/${DIGEST}-filelists.sqlite.bz2: [Errno 14] HTTPS Error 404 - Not Found`,
      ),
      failed(
        'Package[foo]',
        `${yum('foo')}https://mirror2.example.com/repo/repodata/${DIGEST.replaceAll('0', 'a')}-primary.sqlite.bz2: [Errno 14] HTTPS Error 404 - Not Found`,
      ),
    ],
  'Hash Sum mismatch': [
    failed('Package[foo]', 'Hash Sum mismatch', '   Hashes of expected file:', '    - SHA256:abc'),
    failed('Package[foo]', 'Hash Sum mismatch', '   Hashes of expected file:', '    - SHA256:def'),
  ],
  'Device "eth0" does not exist.': [
    failed('Exec[up]', 'Device "eth0" does not exist.'),
    failedOn('db-7.example.com', 'Exec[up]', 'Device "ens192" does not exist.'),
  ],
  'userdel: user alice is currently used by process 1234': [
    failed('User[alice]', 'userdel: user alice is currently used by process 1234'),
    failed('User[bob]', 'userdel: user bob is currently used by process 99'),
  ],
  // A user who is missing is the subject, as a package is.
  'Could not find user alice': [failed('File[/home/alice]', 'Could not find user alice')],
  'Could not find user bob': [failed('File[/home/bob]', 'Could not find user bob')],
  'Failed to connect to PuppetDB at any of the following server_urls: https://db1.example.com:8081':
    [
      logged(
        'Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Failed to connect to PuppetDB at any of the following server_urls: https://db1.example.com:8081',
      ),
      logged(
        'Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Could not retrieve facts for web-1.example.com: Failed to connect to PuppetDB at any of the following server_urls: https://db2.example.com:8081',
      ),
    ],
  'Duplicate declaration: Apt::Source[sensu] is already declared in file /etc/puppet/modules/uchiwa/manifests/apt.pp:38; cannot redeclare':
    [
      logged(
        'Could not retrieve catalog from remote server: Error 400 on SERVER: Duplicate declaration: Apt::Source[sensu] is already declared in file /etc/puppet/modules/uchiwa/manifests/apt.pp:38; cannot redeclare at /etc/puppet/modules/sensu/manifests/apt.pp:35 on node web-1.example.com',
      ),
      logged(
        'Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Evaluation Error: Error while evaluating a Resource Statement, Duplicate declaration: Apt::Source[sensu] is already declared at (file: /etc/puppet/modules/uchiwa/manifests/apt.pp, line: 38); cannot redeclare (file: /etc/puppet/modules/sensu/manifests/apt.pp, line: 35) on node web-1.example.com',
      ),
    ],
  'Could not retrieve information from environment production source(s) file:/var/lib/puppet/concat/_etc_supervisord.conf':
    [
      failed(
        'File[/etc/supervisord.conf]',
        'Could not evaluate: Could not retrieve information from environment production source(s) file:/var/lib/puppet/concat/_etc_supervisord.conf',
      ),
      failed(
        'File[/etc/supervisord.conf]',
        'Could not evaluate: Could not retrieve information from environment staging source(s) file:///var/lib/puppet/concat/_etc_supervisord.conf',
      ),
    ],
  // Another local file is missing.
  'Could not retrieve information from environment production source(s) file:/tmp/aem/dispatcher-apache2.4-4.2.2.so':
    [
      failed(
        'File[/etc/httpd/modules/dispatcher.so]',
        'Could not evaluate: Could not retrieve information from environment production source(s) file:/tmp/aem/dispatcher-apache2.4-4.2.2.so',
      ),
    ],
  'mount.nfs: rpc.statd is not running but is required for remote locking.': [
    failed(
      'Mount[/home]',
      "Could not evaluate: Execution of '/bin/mount -o _netdev /home' returned 32: mount.nfs: rpc.statd is not running but is required for remote locking.",
      "mount.nfs: Either use '-o nolock' to keep locks local, or start statd.",
      'mount.nfs: an incorrect mount option was specified',
    ),
  ],
}
