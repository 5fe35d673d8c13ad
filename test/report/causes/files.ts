/** Files, users, crontabs and other resources of the operating system. */

import { failed, failedOn, type CauseTable } from './table.ts'

export const FILES: CauseTable = {
  'No such file or directory - A directory component in /srv/demo/db01/none/x20261120-17749-1c2rfbh.lock does not exist or is a dangling symbolic link':
    [
      failed(
        'File[/srv/demo/db01/none/x]',
        "change from 'absent' to 'file' failed: Could not set 'file' on ensure: No such file or directory - A directory component in /srv/demo/db01/none/x20261120-17749-1c2rfbh.lock does not exist or is a dangling symbolic link (line: 1)",
      ),
      failed(
        'File[/srv/demo/db02/none/x]',
        "change from 'absent' to 'file' failed: Could not set 'file' on ensure: No such file or directory - A directory component in /srv/demo/db02/none/x20261121-3-9zzqrs.lock does not exist or is a dangling symbolic link (file: /etc/puppetlabs/code/environments/production/manifests/site.pp, line: 8)",
        'Wrapped exception:',
        'No such file or directory - A directory component in /srv/demo/db02/none/x20261121-3-9zzqrs.lock does not exist or is a dangling symbolic link',
      ),
    ],
  'No space left on device @ rb_sysopen - /etc/nginx/conf.d/app.conf20261120-17749-1c2rfbh': [
    failed(
      'File[/etc/nginx/conf.d/app.conf]',
      "change from '{sha256}9d44576a8a7d53c506b18eb9270b1a89608ede3489bdd9a0a3eeb6a4511849ec' to '{sha256}6bea3be90c1a80c2c53f93978fdc07e4f218cf76b7232530b445954717dcc6dc' failed: No space left on device @ rb_sysopen - /etc/nginx/conf.d/app.conf20261120-17749-1c2rfbh",
    ),
    failed(
      'File[/etc/motd]',
      "change from '{md5}d41d8cd98f00b204e9800998ecf8427e' to '{md5}900150983cd24fb0d6963f7d28e17f72' failed: No space left on device - /etc/motd20261120-1-aaaaaa",
    ),
  ],
  'Permission denied @ rb_sysopen - /etc/shadow': [
    failed('File[/etc/shadow]', 'Could not evaluate: Permission denied @ rb_sysopen - /etc/shadow'),
    failed('File[/etc/gshadow]', 'Could not evaluate: Permission denied - /etc/gshadow'),
  ],
  'failed to set mode 0600 on /etc/resolv.conf: Operation not permitted @ apply2files - /etc/resolv.conf':
    [
      failed(
        'File[/etc/resolv.conf]',
        "change from '0644' to '0600' failed: failed to set mode 0600 on /etc/resolv.conf: Operation not permitted @ apply2files - /etc/resolv.conf",
      ),
      failed(
        'File[/etc/hosts]',
        "change from '0664' to '0644' failed: failed to set mode 0644 on /etc/hosts: Operation not permitted - /etc/hosts",
      ),
    ],
  'Read-only file system @ rb_sysopen - /opt/x20261120-1-abcdef': [
    failed(
      'File[/opt/x]',
      "change from 'absent' to 'file' failed: Could not set 'file' on ensure: Read-only file system @ rb_sysopen - /opt/x20261120-1-abcdef",
    ),
  ],
  'Is a directory @ rb_sysopen - /etc/app': [
    failed(
      'File[/etc/app]',
      "change from 'directory' to 'file' failed: Could not set 'file' on ensure: Is a directory @ rb_sysopen - /etc/app",
    ),
  ],
  'Could not retrieve information from environment production source(s) puppet:///modules/web/app.conf':
    [
      failed(
        'File[/etc/app.conf]',
        'Could not evaluate: Could not retrieve information from environment production source(s) puppet:///modules/web/app.conf',
      ),
      failed(
        'File[/etc/app.conf]',
        'Could not evaluate: Could not retrieve information from environment staging source(s) puppet:///modules/web/app.conf',
      ),
      failed(
        'File[/etc/app.conf]',
        'Could not evaluate: Could not retrieve information from source(s) puppet://puppet.example.com/modules/web/app.conf',
      ),
    ],
  'Could not retrieve information from environment production source(s) puppet:///modules/web/key.pem':
    [
      failed(
        'File[/etc/key.pem]',
        'Could not evaluate: Could not retrieve information from environment production source(s) puppet:///modules/web/key.pem',
      ),
    ],
  'Could not find group ghost': [
    failed('File[/srv/a]', "change from 'root' to 'ghost' failed: Could not find group ghost"),
    failed('File[/srv/b]', 'Could not find group ghost'),
  ],
  'Could not find user app': [
    failed('File[/srv/a]', "change from 'root' to 'app' failed: Could not find user app"),
  ],
  'Not Found: Could not find file_content modules/web/logo.png': [
    failed(
      'File[/srv/logo.png]',
      "change from '{sha256}aa' to '{sha256}bb' failed: Error 404 on SERVER: Not Found: Could not find file_content modules/web/logo.png",
    ),
  ],
  'useradd: UID 1001 is not unique': [
    failed(
      'User[deploy]',
      "change from 'absent' to 'present' failed: Could not create user deploy: Execution of '/usr/sbin/useradd -u 1001 deploy' returned 4: useradd: UID 1001 is not unique",
    ),
    failed(
      'User[backup]',
      "Could not create user backup: Execution of '/usr/sbin/useradd -u 1002 backup' returned 4: useradd: UID 1002 is not unique",
    ),
  ],
  'usermod: user app is currently used by process 811': [
    failed(
      'User[app]',
      "change from '/home/app' to '/srv/app' failed: Could not set home on user[app]: Execution of '/usr/sbin/usermod -d /srv/app app' returned 8: usermod: user app is currently used by process 811",
    ),
    failedOn(
      'db-3.example.com',
      'User[app]',
      "Could not set home on user[app]: Execution of '/usr/sbin/usermod -d /srv/app app' returned 8: usermod: user app is currently used by process 2",
    ),
  ],
  'mount: /mnt/data: special device /dev/sdb1 does not exist.': [
    failed(
      'Mount[/mnt/data]',
      "change from 'unmounted' to 'mounted' failed: Execution of '/usr/bin/mount /mnt/data' returned 32: mount: /mnt/data: special device /dev/sdb1 does not exist.",
    ),
  ],
  'File[/etc/empty] failed without a message': [
    failed('File[/etc/empty]', ''),
    failed('File[/etc/empty]', '  '),
  ],
  'File[/etc/other] failed without a message': [failed('File[/etc/other]', '')],
  '"/etc/cron.d/bad":1: bad minute errors in crontab file, can\'t install.': [
    failed(
      'Cron[bad]',
      "change from 'absent' to 'present' failed: Execution of '/usr/bin/crontab /tmp/puppet20261120-1-x9' returned 1: \"/etc/cron.d/bad\":1: bad minute errors in crontab file, can't install.",
    ),
  ],
  'User bob does not exist': [
    failed('Ssh_authorized_key[bob]', 'Could not evaluate: User bob does not exist'),
  ],
  'Registry_value[HKLM\\Software\\A]: Access is denied.': [
    failed(
      'Registry_value[HKLM\\Software\\A]',
      "Could not set 'present' on ensure: Access is denied.",
    ),
  ],
  'File[C:/app]: Access is denied.': [
    failed(
      'File[C:/app]',
      "change from 'absent' to 'directory' failed: Could not set 'directory' on ensure: Access is denied.",
    ),
  ],
  'Scheduled_task[x]: The parameter is incorrect.': [
    failed('Scheduled_task[x]', 'Could not evaluate: The parameter is incorrect.'),
  ],
  'useradd: cannot lock /etc/passwd; try again later.': [
    failed(
      'User[d]',
      "Could not create user d: Execution of '/usr/sbin/useradd d' returned 1: useradd: cannot lock /etc/passwd; try again later.",
    ),
    failed(
      'User[e]',
      "Could not create user e: Execution of '/usr/sbin/useradd e' returned 1: useradd: cannot lock /etc/passwd; try again later.",
    ),
  ],
  'mount.nfs: access denied by server while mounting nas.example.com:/export/home': [
    failed(
      'Mount[/home]',
      "Execution of '/usr/bin/mount /home' returned 32: mount.nfs: access denied by server while mounting nas.example.com:/export/home",
    ),
  ],
  'Mount[/data]: mount.nfs: Connection timed out': [
    failed(
      'Mount[/data]',
      "Execution of '/usr/bin/mount /data' returned 32: mount.nfs: Connection timed out",
    ),
  ],
  'Could not rename temporary file /etc/a20261120-1-abc123 to /etc/a: File written to disk did not match checksum; discarding changes ({md5}d41d8cd98f00b204e9800998ecf8427e vs {md5}900150983cd24fb0d6963f7d28e17f72)':
    [
      failed(
        'File[/etc/a]',
        "change from '{md5}d41d8cd98f00b204e9800998ecf8427e' to '{md5}900150983cd24fb0d6963f7d28e17f72' failed: Could not rename temporary file /etc/a20261120-1-abc123 to /etc/a: File written to disk did not match checksum; discarding changes ({md5}d41d8cd98f00b204e9800998ecf8427e vs {md5}900150983cd24fb0d6963f7d28e17f72)",
      ),
    ],
  '/etc/sudoers.d/x20261123-12-1abcde: syntax error near line 3 <<<': [
    failed(
      'File[/etc/sudoers.d/x]',
      "Execution of '/usr/sbin/visudo -c -f /etc/sudoers.d/x20261123-12-1abcde' returned 1: >>> /etc/sudoers.d/x20261123-12-1abcde: syntax error near line 3 <<<",
      'parse error in /etc/sudoers.d/x20261123-12-1abcde near line 3',
    ),
    failedOn(
      'db-1.example.com',
      'File[/etc/sudoers.d/x]',
      "Execution of '/usr/sbin/visudo -c -f /etc/sudoers.d/x20261124-77-zzzzzz' returned 1: >>> /etc/sudoers.d/x20261124-77-zzzzzz: syntax error near line 4 <<<",
      'parse error in /etc/sudoers.d/x20261124-77-zzzzzz near line 4',
    ),
  ],
  '/etc/ssh/sshd_config20261123-12-1abcde: line 12: Bad configuration option: Foo': [
    failed(
      'File[/etc/ssh/sshd_config]',
      "Execution of '/usr/sbin/sshd -t -f /etc/ssh/sshd_config20261123-12-1abcde' returned 255: /etc/ssh/sshd_config20261123-12-1abcde: line 12: Bad configuration option: Foo",
      '/etc/ssh/sshd_config20261123-12-1abcde: terminating, 1 bad configuration options',
    ),
  ],
}
