/** apt and dpkg. */

import { failed, failedOn, type CauseTable } from './table.ts'

const install = (name: string): string =>
  `Execution of '/usr/bin/apt-get -q -y -o DPkg::Options::=--force-confold install ${name}' returned 100: Reading package lists...`
const PROGRESS = ['Building dependency tree...', 'Reading state information...']

export const APT: CauseTable = {
  'E: Unable to locate package nginx-light': [
    failed(
      'Package[nginx-light]',
      `change from 'purged' to 'present' failed: ${install('nginx-light')}`,
      ...PROGRESS,
      'E: Unable to locate package nginx-light',
    ),
    // Later versions write more dots, quotes, and no word about the state.
    failed(
      'Package[nginx-light]',
      `change from 'absent' to 'present' failed: ${install('nginx-light').replace('...', '....')}`,
      'Building dependency tree....',
      "E: Unable to locate package 'nginx-light'",
    ),
    failed('Package[light]', `${install('nginx-light')}`, "E: Couldn't find package nginx-light"),
    failed(
      'Package[nginx-light]',
      `change from 'purged' to 'latest' failed: Could not update: ${install('nginx-light')}`,
      ...PROGRESS,
      'E: Unable to locate package nginx-light',
    ),
  ],
  'E: Unable to locate package bar': [
    failed('Package[bar]', install('bar'), ...PROGRESS, 'E: Unable to locate package bar'),
  ],
  'E: Could not get lock /var/lib/dpkg/lock-frontend - open (11: Resource temporarily unavailable)':
    [
      failed(
        'Package[curl]',
        install('curl'),
        'E: Could not get lock /var/lib/dpkg/lock-frontend - open (11: Resource temporarily unavailable)',
        'E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?',
      ),
      failed(
        'Package[jq]',
        install('jq'),
        'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)',
        'N: Be aware that removing the lock file is not a solution and may break your system.',
        'E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?',
      ),
      failed(
        'Package[jq]',
        install('jq'),
        'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 9 (apt-get)',
      ),
    ],
  "E: You don't have enough free space in /var/cache/apt/archives/.": [
    failed(
      'Package[baz]',
      install('baz'),
      ...PROGRESS,
      'The following NEW packages will be installed:',
      '  baz',
      '0 upgraded, 1 newly installed, 0 to remove and 3 not upgraded.',
      'Need to get 81.2 MB of archives.',
      'After this operation, 312 MB of additional disk space will be used.',
      "E: You don't have enough free space in /var/cache/apt/archives/.",
    ),
  ],
  'E: Failed to fetch http://deb.debian.org/debian/pool/main/c/curl/curl_7.88.1-10_amd64.deb 404 Not Found [IP: 151.101.2.132 80]':
    [
      failed(
        'Package[curl]',
        install('curl'),
        ...PROGRESS,
        'Err:1 http://deb.debian.org/debian bookworm/main amd64 curl amd64 7.88.1-10',
        '  404  Not Found [IP: 151.101.2.132 80]',
        'E: Failed to fetch http://deb.debian.org/debian/pool/main/c/curl/curl_7.88.1-10_amd64.deb  404  Not Found [IP: 151.101.2.132 80]',
        'E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?',
      ),
      failed(
        'Package[libcurl4]',
        install('libcurl4'),
        'E: Failed to fetch http://mirror.example.org/debian/pool/main/c/curl/libcurl4_7.88.1-9_arm64.deb  404  Not Found [IP: 10.1.2.3 80]',
        'E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?',
      ),
    ],
  'E: Failed to fetch https://packages.example.net/pool/vim_9.0-1_amd64.deb 503 Service Unavailable':
    [
      failed(
        'Package[vim]',
        install('vim=9.0-1'),
        'E: Failed to fetch https://packages.example.net/pool/vim_9.0-1_amd64.deb  503  Service Unavailable',
      ),
    ],
  "E: Version '1.18.0-6' for 'nginx' was not found": [
    failed(
      'Package[nginx]',
      `change from '1.14.2-2' to '1.18.0-6' failed: Could not update: ${install('nginx=1.18.0-6')}`,
      ...PROGRESS,
      "E: Version '1.18.0-6' for 'nginx' was not found",
    ),
    failed(
      'Package[nginx]',
      install('nginx=1.18.0-6ubuntu14.4'),
      "E: Version '1.18.0-6ubuntu14.4' for 'nginx' was not found",
    ),
  ],
  'web-app : Depends: libpq5 (>= 15.0) but 13.9-0 is to be installed': [
    failed(
      'Package[web-app]',
      install('web-app'),
      ...PROGRESS,
      'Some packages could not be installed. This may mean that you have',
      'requested an impossible situation or if you are using the unstable',
      'distribution that some required packages have not yet been created',
      'or been moved out of Incoming.',
      'The following information may help to resolve the situation:',
      '',
      'The following packages have unmet dependencies:',
      ' web-app : Depends: libpq5 (>= 15.0) but 13.9-0 is to be installed',
      'E: Unable to correct problems, you have held broken packages.',
    ),
  ],
  'dpkg: error processing package mysql-server (--configure): installed mysql-server package post-installation script subprocess returned error exit status 1':
    [
      failed(
        'Package[mysql-server]',
        install('mysql-server'),
        ...PROGRESS,
        'Preconfiguring packages ...',
        '(Reading database ... 34567 files and directories currently installed.)',
        'Preparing to unpack .../mysql-server_8.0_all.deb ...',
        'Setting up mysql-server (8.0) ...',
        'dpkg: error processing package mysql-server (--configure):',
        ' installed mysql-server package post-installation script subprocess returned error exit status 1',
        'Errors were encountered while processing:',
        ' mysql-server',
        'E: Sub-process /usr/bin/dpkg returned an error code (1)',
      ),
    ],
  'Package[openjdk]: E: Sub-process /usr/bin/dpkg returned an error code (1)': [
    failed(
      'Package[openjdk]',
      install('openjdk'),
      'E: Sub-process /usr/bin/dpkg returned an error code (1)',
    ),
  ],
  "E: The package foo needs to be reinstalled, but I can't find an archive for it.": [
    failed(
      'Package[foo]',
      install('foo'),
      "E: The package foo needs to be reinstalled, but I can't find an archive for it.",
    ),
  ],
  'E: There were unauthenticated packages and -y was used without --allow-unauthenticated': [
    failed(
      'Package[elasticsearch]',
      install('elasticsearch'),
      'WARNING: The following packages cannot be authenticated!',
      '  elasticsearch',
      'E: There were unauthenticated packages and -y was used without --allow-unauthenticated',
    ),
  ],
  'E: Release file for http://security.debian.org/dists/bookworm-security/InRelease is not valid yet (invalid for another 2h 3min 4s).':
    [
      failed(
        'Package[tzdata]',
        install('tzdata'),
        'W: Skipping acquire of configured file',
        'E: Release file for http://security.debian.org/dists/bookworm-security/InRelease is not valid yet (invalid for another 2h 3min 4s).',
      ),
    ],
  "E: The repository 'http://apt.example.com/debian bookworm Release' does not have a Release file.":
    [
      failed(
        'Package[agent]',
        install('agent'),
        "E: The repository 'http://apt.example.com/debian bookworm Release' does not have a Release file.",
      ),
      failed(
        'Exec[apt_update]',
        "E: The repository 'http://apt.example.com/debian trixie Release' does not have a Release file.",
      ),
    ],
  "E: Package 'php7.4' has no installation candidate": [
    failed(
      'Package[php7.4]',
      install('php7.4'),
      'Package php7.4 is not available, but is referred to by another package.',
      'This may mean that the package is missing, has been obsoleted, or',
      'is only available from another source',
      "E: Package 'php7.4' has no installation candidate",
    ),
  ],
  "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem.": [
    failed(
      'Package[htop]',
      install('htop'),
      "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem.",
    ),
  ],
  'Package[nginx] returned 100': [
    failed('Package[nginx]', `change from 'purged' to 'present' failed: ${install('nginx')}`),
    failed('Package[nginx]', "Execution of '/usr/bin/apt-get -q -y install nginx' returned 100: "),
  ],
  'Package[caddy] returned 100': [
    failed('Package[caddy]', "Execution of '/usr/bin/apt-get -q -y install caddy' returned 100: "),
  ],
  'dpkg: error: dpkg frontend lock was locked by another process with pid 2231': [
    failed(
      'Package[local.deb]',
      "Execution of '/usr/bin/dpkg --force-confold -i /tmp/local.deb' returned 2: dpkg: error: dpkg frontend lock was locked by another process with pid 2231",
    ),
    failedOn(
      'db-2.example.com',
      'Package[other]',
      "Execution of '/usr/bin/dpkg --force-confold -i /root/other.deb' returned 2: dpkg: error: dpkg frontend lock was locked by another process with pid 18",
    ),
  ],
  'libfoo1 : Depends: libbar (= 1.0) but it is not going to be installed': [
    failed(
      'Package[x]',
      install('x'),
      'Building dependency tree...',
      'Reading state information...',
      ' libfoo1 : Depends: libbar (= 1.0) but it is not going to be installed',
      "E: Unmet dependencies. Try 'apt --fix-broken install' with no packages (or specify a solution).",
    ),
  ],
  "E: The repository 'http://repo.example.com stable InRelease' is not signed.": [
    failed(
      'Exec[apt_update2]',
      "Execution of '/usr/bin/apt-get update' returned 100: Hit:1 http://deb.debian.org/debian bookworm InRelease",
      'Err:2 http://repo.example.com stable InRelease',
      "  The following signatures couldn't be verified because the public key is not available: NO_PUBKEY 467B942D3A79BD29",
      'Reading package lists...',
      "W: GPG error: http://repo.example.com stable InRelease: The following signatures couldn't be verified because the public key is not available: NO_PUBKEY 467B942D3A79BD29",
      "E: The repository 'http://repo.example.com stable InRelease' is not signed.",
    ),
  ],
  'E: Packages were downgraded and -y was used without --allow-downgrades.': [
    failed(
      'Package[x]',
      install('x'),
      'Building dependency tree...',
      'Reading state information...',
      'The following packages will be DOWNGRADED:',
      '  x',
      'E: Packages were downgraded and -y was used without --allow-downgrades.',
    ),
  ],
  'E: Held packages were changed and -y was used without --allow-change-held-packages.': [
    failed(
      'Package[x]',
      install('x'),
      'Building dependency tree...',
      'Reading state information...',
      'The following held packages will be changed:',
      '  x',
      'E: Held packages were changed and -y was used without --allow-change-held-packages.',
    ),
  ],
  "E: The value 'bookworm-backports' is invalid for APT::Default-Release as such a release is not available in the sources":
    [
      failed(
        'Package[x]',
        install('x'),
        'Building dependency tree...',
        'Reading state information...',
        "E: The value 'bookworm-backports' is invalid for APT::Default-Release as such a release is not available in the sources",
      ),
    ],
  'E: Malformed entry 1 in list file /etc/apt/sources.list.d/x.list (Component)': [
    failed(
      'Package[x]',
      "Execution of '/usr/bin/apt-get -q -y install x' returned 100: E: Malformed entry 1 in list file /etc/apt/sources.list.d/x.list (Component)",
      'E: The list of sources could not be read.',
    ),
    failed(
      'Package[y]',
      "Execution of '/usr/bin/apt-get -q -y install y' returned 100: E: Malformed entry 2 in list file /etc/apt/sources.list.d/x.list (Component)",
      'E: The list of sources could not be read.',
    ),
  ],
  'E: Conflicting values set for option Signed-By regarding source https://packages.example.com/apt/ stable: /usr/share/keyrings/a.gpg !=':
    [
      failed(
        'Package[x]',
        "Execution of '/usr/bin/apt-get -q -y install x' returned 100: E: Conflicting values set for option Signed-By regarding source https://packages.example.com/apt/ stable: /usr/share/keyrings/a.gpg != ",
        'E: The list of sources could not be read.',
      ),
    ],
  "dpkg: error processing archive /var/cache/apt/archives/foo_1.2_amd64.deb (--unpack): trying to overwrite '/usr/bin/foo', which is also in package bar 1.0":
    [
      failed(
        'Package[foo]',
        install('x'),
        'Building dependency tree...',
        'Reading state information...',
        'Selecting previously unselected package foo.',
        '(Reading database ... 45%',
        'Preparing to unpack .../foo_1.2_amd64.deb ...',
        'Unpacking foo (1.2) ...',
        'dpkg: error processing archive /var/cache/apt/archives/foo_1.2_amd64.deb (--unpack):',
        " trying to overwrite '/usr/bin/foo', which is also in package bar 1.0",
        'Errors were encountered while processing:',
        ' /var/cache/apt/archives/foo_1.2_amd64.deb',
        'E: Sub-process /usr/bin/dpkg returned an error code (1)',
      ),
    ],
  "E: Failed to fetch http://deb.debian.org/debian/pool/x_1.0_amd64.deb Temporary failure resolving 'deb.debian.org'":
    [
      failed(
        'Package[x]',
        install('x'),
        'Building dependency tree...',
        'Reading state information...',
        'Err:1 http://deb.debian.org/debian bookworm/main amd64 x amd64 1.0',
        "  Temporary failure resolving 'deb.debian.org'",
        "E: Failed to fetch http://deb.debian.org/debian/pool/x_1.0_amd64.deb  Temporary failure resolving 'deb.debian.org'",
        'E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?',
      ),
      failedOn(
        'db-3.example.com',
        'Package[y]',
        install('x'),
        'Building dependency tree...',
        'Reading state information...',
        "E: Failed to fetch http://security.debian.org/debian/pool/y_1.0_amd64.deb  Temporary failure resolving 'security.debian.org'",
        'E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?',
      ),
    ],
  'E: Failed to fetch http://deb.debian.org/debian/pool/x_1.0_amd64.deb Hash Sum mismatch': [
    failed(
      'Package[x]',
      install('x'),
      'Building dependency tree...',
      'Reading state information...',
      'E: Failed to fetch http://deb.debian.org/debian/pool/x_1.0_amd64.deb  Hash Sum mismatch',
      '   Hashes of expected file:',
      '    - SHA256:9d44576a8a7d53c506b18eb9270b1a89608ede3489bdd9a0a3eeb6a4511849ec',
      'E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?',
    ),
  ],
  'Package[a]: E: Sub-process /usr/bin/dpkg returned an error code (1)': [
    failed(
      'Package[a]',
      install('x'),
      'Building dependency tree...',
      'Reading state information...',
      'E: Sub-process /usr/bin/dpkg returned an error code (1)',
    ),
  ],
  'Package[b]: E: Sub-process /usr/bin/dpkg returned an error code (1)': [
    failed(
      'Package[b]',
      install('x'),
      'Building dependency tree...',
      'Reading state information...',
      'E: Sub-process /usr/bin/dpkg returned an error code (1)',
    ),
  ],
  "terminate called after throwing an instance of 'std::out_of_range'": [
    failed(
      'Package[net]',
      "Execution of '/usr/bin/apt-get -q -y -o DPkg::Options::=--force-confold install x' returned : Reading package lists...",
      'Building dependency tree...',
      'Reading state information...',
      "terminate called after throwing an instance of 'std::out_of_range'",
      '  what():  basic_string::compare',
    ),
  ],
}
