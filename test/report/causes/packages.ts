/** yum, dnf, zypper and rpm; gem, pip, npm and Chocolatey. */

import { failed, failedOn, logged, type CauseTable } from './table.ts'

const dnf = (name: string): string =>
  `Execution of '/usr/bin/dnf -d 0 -e 1 -y install ${name}' returned 1: `
const yum = (name: string): string =>
  `Execution of '/bin/yum -d 0 -e 0 -y install ${name}' returned 1: `

export const PACKAGES: CauseTable = {
  'Error: Unable to find a match: nginx-mod': [
    failed('Package[nginx-mod]', `${dnf('nginx-mod')}Error: Unable to find a match: nginx-mod`),
    failed(
      'Package[nginx-mod]',
      `${dnf('nginx-mod')}No match for argument: nginx-mod`,
      'Error: Unable to find a match: nginx-mod',
    ),
    failed(
      'Package[nginx-mod]',
      `${yum('nginx-mod')}No package nginx-mod available.`,
      'Error: Nothing to do',
    ),
  ],
  'Error: Unable to find a match: httpd': [
    failed('Package[httpd]', `${dnf('httpd')}Error: Unable to find a match: httpd`),
  ],
  'nothing provides libssl.so.1.1()(64bit) needed by app-2.1-1.x86_64': [
    failed(
      'Package[app]',
      `${dnf('app')}Error: `,
      ' Problem: conflicting requests',
      '  - nothing provides libssl.so.1.1()(64bit) needed by app-2.1-1.x86_64',
      "(try to add '--skip-broken' to skip uninstallable packages)",
    ),
  ],
  "Error: Failed to download metadata for repo 'epel': Cannot prepare internal mirrorlist: No URLs in mirrorlist":
    [
      failed(
        'Package[htop]',
        `${dnf('htop')}Error: Failed to download metadata for repo 'epel': Cannot prepare internal mirrorlist: No URLs in mirrorlist`,
      ),
    ],
  'Error: GPG check FAILED': [
    failed(
      'Package[rabbitmq]',
      `${dnf('rabbitmq')}warning: /var/cache/dnf/rabbit-1f2e/packages/rabbitmq.rpm: Header V4 RSA/SHA512 Signature, key ID 6b73a36e: NOKEY`,
      'Error: GPG check FAILED',
    ),
  ],
  'Public key for erlang-25.rpm is not installed': [
    failed(
      'Package[erlang]',
      `${yum('erlang')}warning: /var/cache/yum/x86_64/7/erlang/packages/erlang-25.rpm: Header V4 RSA/SHA256 Signature, key ID cb9b1d8f: NOKEY`,
      'Public key for erlang-25.rpm is not installed',
    ),
  ],
  'Error: Package: app-2.0-1.x86_64 (internal)': [
    failed(
      'Package[app-legacy]',
      `${yum('app-legacy')}Error: Package: app-2.0-1.x86_64 (internal)`,
      '           Requires: libfoo >= 3',
    ),
  ],
  'Error downloading packages: postgresql15-15.4: [Errno 256] No more mirrors to try.': [
    failed(
      'Package[postgresql15]',
      `${yum('postgresql15')}Error downloading packages:`,
      '  postgresql15-15.4: [Errno 256] No more mirrors to try.',
    ),
  ],
  'error: Failed dependencies: libnsl.so.1 is needed by tool-1.0-1': [
    failed(
      'Package[tool]',
      "Execution of '/usr/bin/rpm -i /tmp/tool.rpm' returned 1: error: Failed dependencies:",
      '\tlibnsl.so.1 is needed by tool-1.0-1',
    ),
  ],
  'error: rpmdb open failed': [
    failed(
      'Package[bash]',
      "Execution of '/usr/bin/rpm -q bash' returned 1: error: rpmdb open failed",
    ),
  ],
  "No provider of 'sles-tool' found.": [
    failed(
      'Package[sles-tool]',
      "Execution of '/usr/bin/zypper --quiet --non-interactive install sles-tool' returned 104: No provider of 'sles-tool' found.",
    ),
    failed(
      'Package[sles-tool]',
      "Execution of '/usr/bin/zypper --quiet install sles-tool' returned 104: Package 'sles-tool' not found.",
    ),
  ],
  'System management is locked by the application with pid 3321 (zypper).': [
    failed(
      'Package[vim]',
      "Execution of '/usr/bin/zypper --quiet install vim' returned 7: System management is locked by the application with pid 3321 (zypper).",
      'Close this application before trying again.',
    ),
    failed(
      'Package[less]',
      "Execution of '/usr/bin/zypper --quiet install less' returned 7: System management is locked by the application with pid 17 (zypper).",
      'Close this application before trying again.',
    ),
  ],
  'error: target not found: yay': [
    failed(
      'Package[yay]',
      "Execution of '/usr/bin/pacman --noconfirm --needed --noprogressbar --sync yay' returned 1: error: target not found: yay",
    ),
  ],
  "ERROR: Could not find a valid gem 'hiera-eyaml' (= 9.9) in any repository": [
    failed(
      'Package[hiera-eyaml]',
      "Execution of '/opt/puppetlabs/puppet/bin/gem install --no-document hiera-eyaml' returned 2: ERROR:  Could not find a valid gem 'hiera-eyaml' (= 9.9) in any repository",
    ),
  ],
  'ERROR: Error installing nokogiri: ERROR: Failed to build gem native extension.': [
    failed(
      'Package[nokogiri]',
      "Execution of '/usr/bin/gem install nokogiri' returned 1: Building native extensions. This could take a while...",
      'ERROR:  Error installing nokogiri:',
      '\tERROR: Failed to build gem native extension.',
      "/usr/lib/ruby/2.7.0/mkmf.rb:471:in `try_do': The compiler failed to generate an executable file.",
    ),
  ],
  'ERROR: Could not find a version that satisfies the requirement ansibel (from versions: none)': [
    failed(
      'Package[ansibel]',
      "Execution of '/usr/bin/pip3 install -q ansibel' returned 1: WARNING: Running pip as root",
      'ERROR: Could not find a version that satisfies the requirement ansibel (from versions: none)',
      'ERROR: No matching distribution found for ansibel',
    ),
  ],
  'npm ERR! 404 Not Found - GET https://registry.npmjs.org/leftpadd - Not found': [
    failed(
      'Package[leftpadd]',
      "Execution of '/usr/bin/npm install --global leftpadd' returned 1: npm ERR! code E404",
      'npm ERR! 404 Not Found - GET https://registry.npmjs.org/leftpadd - Not found',
      'npm ERR! A complete log of this run can be found in:',
      'npm ERR!     /root/.npm/_logs/2026-03-02T12_00_00_000Z-debug-0.log',
    ),
  ],
  'notepad3 not installed. The package was not found with the source(s) listed.': [
    failed(
      'Package[notepad3]',
      "Execution of 'C:\\ProgramData\\chocolatey\\bin\\choco.exe install notepad3 -y' returned 1: Chocolatey v1.4.0",
      'notepad3 not installed. The package was not found with the source(s) listed.',
      ' Source(s): "https://community.chocolatey.org/api/v2/"',
    ),
  ],
  'Failed to install: Fatal error during installation': [
    failed('Package[7-Zip]', 'Failed to install: Fatal error during installation'),
    failedOn(
      'win-7.example.com',
      'Package[7-Zip]',
      'Failed to install: Fatal error during installation',
    ),
  ],
  'Provider apt is not functional on this host': [
    failed('Package[x]', 'Provider apt is not functional on this host'),
  ],
  "Parameter ensure failed on Package[tool]: Provider gem must have features 'upgradeable' to set 'ensure' to 'latest'":
    [
      logged(
        "Failed to apply catalog: Parameter ensure failed on Package[tool]: Provider gem must have features 'upgradeable' to set 'ensure' to 'latest' (file: /etc/puppetlabs/code/environments/production/site/a.pp, line: 4)",
      ),
      logged(
        "Failed to apply catalog: Parameter ensure failed on Package[tool]: Provider gem must have features 'upgradeable' to set 'ensure' to 'latest' at /etc/puppet/environments/staging/site/a.pp:9",
      ),
    ],
}
