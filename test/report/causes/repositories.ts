/** Repositories and downloads: git and archives. */

import { failed, type CauseTable } from './table.ts'

export const REPOSITORIES: CauseTable = {
  "fatal: detected dubious ownership in repository at '/srv/app'": [
    failed(
      'Vcsrepo[/srv/app]',
      "Execution of '/usr/bin/git fetch origin' returned 128: fatal: detected dubious ownership in repository at '/srv/app'",
      'To add an exception for this directory, call:',
      '',
      '\tgit config --global --add safe.directory /srv/app',
    ),
  ],
  "error: pathspec 'v1.2' did not match any file(s) known to git": [
    failed(
      'Vcsrepo[/srv/app]',
      "Execution of '/usr/bin/git checkout --force v1.2' returned 1: error: pathspec 'v1.2' did not match any file(s) known to git",
    ),
  ],
  'Host key verification failed.': [
    failed(
      'Vcsrepo[/srv/app]',
      "change from 'absent' to 'present' failed: Execution of 'git clone git@git.example.com:x.git /srv/app' returned 128: Cloning into '/srv/app'...",
      'Host key verification failed.',
      'fatal: Could not read from remote repository.',
      '',
      'Please make sure you have the correct access rights',
      'and the repository exists.',
    ),
    failed(
      'Vcsrepo[/srv/b]',
      "Execution of 'git clone git@git.example.com:b.git /srv/b' returned 128: Cloning into '/srv/b'...",
      '@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@',
      '@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @',
      '@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@',
      'IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!',
      'Host key verification failed.',
      'fatal: Could not read from remote repository.',
    ),
    failed(
      'Vcsrepo[/var/www/site]',
      "change from absent to present failed: Execution of '/usr/bin/git clone git@github.com:cevaris/site.git /var/www/site' returned 128: Cloning into '/var/www/site'...",
      'Host key verification failed.',
      'fatal: The remote end hung up unexpectedly',
    ),
  ],
  'fatal: Remote branch rel not found in upstream origin': [
    failed(
      'Vcsrepo[/srv/app]',
      "Execution of '/usr/bin/git clone -b rel https://git.example.com/x.git /srv/app' returned 128: Cloning into '/srv/app'...",
      'warning: Could not find remote branch rel to clone.',
      'fatal: Remote branch rel not found in upstream origin',
    ),
  ],
  "fatal: unable to access 'https://git.example.com/x.git/': SSL certificate problem: unable to get local issuer certificate":
    [
      failed(
        'Vcsrepo[/srv/app]',
        "Execution of '/usr/bin/git clone https://git.example.com/x.git /srv/app' returned 128: Cloning into '/srv/app'...",
        "fatal: unable to access 'https://git.example.com/x.git/': SSL certificate problem: unable to get local issuer certificate",
      ),
    ],
  'error: Your local changes to the following files would be overwritten by checkout: app.conf': [
    failed(
      'Vcsrepo[/srv/app]',
      "Execution of '/usr/bin/git checkout main' returned 1: error: Your local changes to the following files would be overwritten by checkout:",
      '\tapp.conf',
      'Please commit your changes or stash them before you switch branches.',
      'Aborting',
    ),
  ],
  'Path /srv/app exists and is not the desired repository.': [
    failed(
      'Vcsrepo[/srv/app]',
      "Could not set 'latest' on ensure: Path /srv/app exists and is not the desired repository.",
    ),
    failed('Vcsrepo[/srv/app]', 'Path /srv/app exists and is not the desired repository.'),
  ],
  'Path /srv/z exists and is not the desired repository.': [
    failed('Vcsrepo[/srv/z]', 'Path /srv/z exists and is not the desired repository.'),
  ],
  'Download file checksum mismatch (expected: 9d44576a8a7d53c506b18eb9270b1a89608ede34 actual: 6bea3be90c1a80c2c53f93978fdc07e4f218cf76)':
    [
      failed(
        'Archive[/tmp/a.tgz]',
        "change from 'absent' to 'present' failed: Could not set 'present' on ensure: Download file checksum mismatch (expected: 9d44576a8a7d53c506b18eb9270b1a89608ede34 actual: 6bea3be90c1a80c2c53f93978fdc07e4f218cf76)",
      ),
      failed(
        'Archive[/tmp/atlassian-jira-6.4.13.tar.gz]',
        'change from absent to present failed: Download file checksum mismatch',
      ),
    ],
  'Archive[/tmp/b.tgz]: curl: (22) The requested URL returned error: 404 Not Found': [
    failed(
      'Archive[/tmp/b.tgz]',
      "Could not set 'present' on ensure: Execution of 'curl -o /tmp/b -fsSLg --max-redirs 5 https://nexus.example.com/b.tgz' returned 22: curl: (22) The requested URL returned error: 404 Not Found",
    ),
  ],
  'Archive[/tmp/c.tgz]: curl: (22) The requested URL returned error: 404 Not Found': [
    failed(
      'Archive[/tmp/c.tgz]',
      "Could not set 'present' on ensure: Execution of 'curl -o /tmp/c -fsSLg --max-redirs 5 https://nexus.example.com/c.tgz' returned 22: curl: (22) The requested URL returned error: 404 Not Found",
    ),
  ],
  'Archive[/tmp/d.tgz]: curl: (22) The requested URL returned error: 503': [
    failed(
      'Archive[/tmp/d.tgz]',
      "Could not set 'present' on ensure: Execution of 'curl -o /tmp/d -fsSLg --max-redirs 5 https://nexus.example.com/d.tgz' returned 22: curl: (22) The requested URL returned error: 503",
    ),
  ],
  'error: RPC failed; curl 18 transfer closed with outstanding read data remaining': [
    failed(
      'Vcsrepo[/var/www/html]',
      "change from absent to present failed: Execution of '/usr/local/bin/git clone https://github.com/wikimedia/mediawiki.git /var/www/html' returned 128: Cloning into '/var/www/html'...",
      'error: RPC failed; curl 18 transfer closed with outstanding read data remaining',
      'fatal: The remote end hung up unexpectedly',
      'fatal: early EOF',
    ),
  ],
  // Alone, it is all that git says.
  'fatal: The remote end hung up unexpectedly': [
    failed(
      'Vcsrepo[/srv/app]',
      "change from absent to present failed: Execution of '/usr/bin/git clone git@git:app /srv/app' returned 128: fatal: The remote end hung up unexpectedly",
    ),
  ],
}
