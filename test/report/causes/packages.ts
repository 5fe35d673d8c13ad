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
  'Error: Package: app-2.0-1.x86_64 (internal) Requires: libfoo >= 3': [
    failed(
      'Package[app-legacy]',
      `${yum('app-legacy')}Error: Package: app-2.0-1.x86_64 (internal)`,
      '           Requires: libfoo >= 3',
    ),
  ],
  'Error: Package: cloudstack-management-4.4.0-NONOSS_3.el6.x86_64 (cloudstack) Requires: java7': [
    failed(
      'Package[cloudstack-management]',
      `${yum('cloudstack-management')}Error: Package: cloudstack-management-4.4.0-NONOSS_3.el6.x86_64 (cloudstack)`,
      '           Requires: java7',
      'Error: Package: cloudstack-management-4.4.0-NONOSS_3.el6.x86_64 (cloudstack)',
      '           Requires: tomcat6',
      ' You could try using --skip-broken to work around the problem',
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
    failed(
      'Package[leftpadd]',
      "Execution of '/usr/bin/npm install --global leftpadd' returned 1: npm error code E404",
      'npm error 404 Not Found - GET https://registry.npmjs.org/leftpadd - Not found',
      'npm error A complete log of this run can be found in: /root/.npm/_logs/2026-03-02T12_00_00_000Z-debug-0.log',
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
  'Package[7-Zip]: Failed to install: Fatal error during installation': [
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
  'Package[c]: Error: Nothing to do': [
    failed(
      'Package[c]',
      "Execution of '/usr/bin/yum -d 0 -e 0 -y install c' returned 1: Error: Nothing to do",
    ),
  ],
  'Package[d]: Error: Nothing to do': [
    failed(
      'Package[d]',
      "Execution of '/usr/bin/yum -d 0 -e 0 -y install d' returned 1: Error: Nothing to do",
    ),
  ],
  'Package[e]: Error: No matching Packages to list': [
    failed(
      'Package[e]',
      "Could not update: Execution of '/usr/bin/yum -d 0 -e 0 -y list e' returned 1: Error: No matching Packages to list",
    ),
    failedOn(
      'db-1.example.com',
      'Package[e]',
      "change from absent to latest failed: Could not update: Execution of '/bin/yum -d 0 -e 0 -y list e' returned 1: Error: No matching Packages to list",
    ),
  ],
  'Package[f]: Error: No matching Packages to list': [
    failed(
      'Package[f]',
      "Could not update: Execution of '/usr/bin/yum -d 0 -e 0 -y list f' returned 1: Error: No matching Packages to list",
    ),
  ],
  'Error: Cannot retrieve repository metadata (repomd.xml) for repository: epel. Please verify its path and try again':
    [
      failed(
        'Package[vim]',
        "Execution of '/usr/bin/dnf -d 0 -e 1 -y install x' returned 1: Error: Cannot retrieve repository metadata (repomd.xml) for repository: epel. Please verify its path and try again",
      ),
    ],
  'Error: Cannot retrieve repository metadata (repomd.xml) for repository: internal. Please verify its path and try again':
    [
      failed(
        'Package[vim]',
        "Execution of '/usr/bin/dnf -d 0 -e 1 -y install x' returned 1: Error: Cannot retrieve repository metadata (repomd.xml) for repository: internal. Please verify its path and try again",
      ),
    ],
  'Error: Transaction test error: file /usr/bin/x from install of a-1.0-1.x86_64 conflicts with file from package b-2.0-1.x86_64':
    [
      failed(
        'Package[a]',
        "Execution of '/usr/bin/dnf -d 0 -e 1 -y install x' returned 1: Error: Transaction test error:",
        '  file /usr/bin/x from install of a-1.0-1.x86_64 conflicts with file from package b-2.0-1.x86_64',
      ),
    ],
  'Error: Error downloading packages: Cannot download Packages/a-1.0.x86_64.rpm: All mirrors were tried':
    [
      failed(
        'Package[a]',
        "Execution of '/usr/bin/dnf -d 0 -e 1 -y install x' returned 1: Error: Error downloading packages:",
        '  Cannot download Packages/a-1.0.x86_64.rpm: All mirrors were tried',
      ),
    ],
  'Could not retrieve mirrorlist http://mirrorlist.centos.org/?release=7&arch=x86_64&repo=os&infra=stock error was 14: curl#6 - "Could not resolve host: mirrorlist.centos.org; Unknown error"':
    [
      failed(
        'Package[q]',
        "Execution of '/bin/yum -d 0 -e 0 -y install q' returned 1: Could not retrieve mirrorlist http://mirrorlist.centos.org/?release=7&arch=x86_64&repo=os&infra=stock error was",
        '14: curl#6 - "Could not resolve host: mirrorlist.centos.org; Unknown error"',
        '',
        '',
        ' One of the configured repositories failed (Unknown),',
        " and yum doesn't have enough cached data to continue.",
        '',
        'Cannot find a valid baseurl for repo: base/7/x86_64',
      ),
    ],
  'Error: Unable to find a match: nodejs': [
    failed(
      'Package[q]',
      "Execution of '/usr/bin/dnf -d 0 -e 1 -y install x' returned 1: All matches were filtered out by modular filtering for argument: nodejs",
      'Error: Unable to find a match: nodejs',
    ),
  ],
  "Error: Failed to download metadata for repo 'appstream': Cannot download repomd.xml: Cannot download repodata/repomd.xml: All mirrors were tried":
    [
      failed(
        'Package[q]',
        "Execution of '/usr/bin/dnf -d 0 -e 1 -y install x' returned 1: Errors during downloading metadata for repository 'appstream':",
        '  - Status code: 404 for https://mirror.example.com/8/repodata/repomd.xml (IP: 10.2.3.4)',
        "Error: Failed to download metadata for repo 'appstream': Cannot download repomd.xml: Cannot download repodata/repomd.xml: All mirrors were tried",
      ),
    ],
  'Existing lock /var/run/yum.pid: another copy is running as pid 4711.': [
    failed(
      'Package[q]',
      "Execution of '/bin/yum -d 0 -e 0 -y install q' returned 1: Existing lock /var/run/yum.pid: another copy is running as pid 4711.",
      'Another app is currently holding the yum lock; waiting for it to exit...',
      '  The other application is: yum',
      '    Memory :  92 M RSS (410 MB VSZ)',
    ),
    failedOn(
      'db-1.example.com',
      'Package[r]',
      "Execution of '/bin/yum -d 0 -e 0 -y install r' returned 1: Existing lock /var/run/yum.pid: another copy is running as pid 12.",
      'Another app is currently holding the yum lock; waiting for it to exit...',
    ),
  ],
  'Problem: nothing provides libfoo needed by s-1.x86_64': [
    failed(
      'Package[s]',
      "Execution of '/usr/bin/zypper --quiet --non-interactive install s' returned 4: Problem: nothing provides libfoo needed by s-1.x86_64",
      ' Solution 1: do not install s-1.x86_64',
      ' Solution 2: break s-1.x86_64 by ignoring some of its dependencies',
    ),
  ],
  "Repository 'tools' is invalid.": [
    failed(
      'Package[s]',
      "Execution of '/usr/bin/zypper --quiet --non-interactive install s' returned 106: Repository 'tools' is invalid.",
      '[tools|https://repo.example.com/tools] Valid metadata not found at specified URL',
      'History:',
      " - [tools|https://repo.example.com/tools] Repository type can't be determined.",
      '',
      'Please check if the URIs defined for this repository are pointing to a valid repository.',
      "Skipping repository 'tools' because of the above error.",
      'Some of the repositories have not been refreshed because of an error.',
    ),
  ],
  "Signature verification failed for file 'repomd.xml' from repository 'tools'.": [
    failed(
      'Package[s]',
      "Execution of '/usr/bin/zypper --quiet --non-interactive install s' returned 4: Signature verification failed for file 'repomd.xml' from repository 'tools'.",
    ),
  ],
  'ERROR: While executing gem ... (Gem::FilePermissionError)': [
    failed(
      'Package[g]',
      "Execution of '/usr/bin/gem install g' returned 1: ERROR:  While executing gem ... (Gem::FilePermissionError)",
      "    You don't have write permissions for the /var/lib/gems/2.7.0 directory.",
    ),
  ],
  'ERROR: Error installing g: The last version of g (>= 0) to support your Ruby & RubyGems was 1.2. Try installing it with `gem install g -v 1.2`':
    [
      failed(
        'Package[g]',
        "Execution of '/usr/bin/gem install g' returned 1: ERROR:  Error installing g:",
        '\tThe last version of g (>= 0) to support your Ruby & RubyGems was 1.2. Try installing it with `gem install g -v 1.2`',
        '\tg requires Ruby version >= 3.0. The current ruby version is 2.7.8.225.',
      ),
    ],
  'Unable to download data from https://rubygems.org/ - SSL_connect returned=1 errno=0 state=error: certificate verify failed (https://rubygems.org/specs.4.8.gz)':
    [
      failed(
        'Package[g]',
        "Execution of '/usr/bin/gem install g' returned 2: ERROR:  Could not find a valid gem 'g' (>= 0), here is why:",
        '          Unable to download data from https://rubygems.org/ - SSL_connect returned=1 errno=0 state=error: certificate verify failed (https://rubygems.org/specs.4.8.gz)',
      ),
      failed(
        'Package[h]',
        "Execution of '/usr/bin/gem install h' returned 2: ERROR:  Could not find a valid gem 'h' (>= 0), here is why:",
        '          Unable to download data from https://rubygems.org/ - SSL_connect returned=1 errno=0 state=error: certificate verify failed (https://rubygems.org/specs.4.8.gz)',
      ),
    ],
  'error: externally-managed-environment': [
    failed(
      'Package[p]',
      "Execution of '/usr/bin/pip3 install -q p' returned 1: error: externally-managed-environment",
      '',
      '× This environment is externally managed',
      '╰─> To install Python packages system-wide, try apt install',
      '    python3-xyz, where xyz is the package you are trying to',
      '    install.',
    ),
    failed(
      'Package[o]',
      "Execution of '/usr/bin/pip3 install -q o' returned 1: error: externally-managed-environment",
      '',
      '× This environment is externally managed',
    ),
  ],
  'ERROR: Could not find a version that satisfies the requirement p (from versions: none)': [
    failed(
      'Package[p]',
      "Execution of '/usr/bin/pip install -q p' returned 1: WARNING: Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError': /simple/p/",
      'ERROR: Could not find a version that satisfies the requirement p (from versions: none)',
      'ERROR: No matching distribution found for p',
    ),
  ],
  "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/usr/lib/python3/dist-packages/p'":
    [
      failed(
        'Package[p]',
        "Execution of '/usr/bin/pip install -q p' returned 1: ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/usr/lib/python3/dist-packages/p'",
        'Consider using the `--user` option or check the permissions.',
      ),
    ],
  'ERROR: Running ["C:\\Windows\\System32\\msiexec.exe" /i "C:\\Temp\\foo.msi" /qn ] was not successful. Exit code was \'1603\'. Exit code indicates the following: Generic MSI Error.':
    [
      failed(
        'Package[foo]',
        "Execution of 'C:\\ProgramData\\chocolatey\\bin\\choco.exe install foo -y' returned 1603: Chocolatey v1.4.0",
        'Installing the following packages:',
        'foo',
        'By installing, you accept licenses for the packages.',
        'Progress: Downloading foo 1.2... 100%',
        '',
        'foo v1.2 [Approved]',
        'foo package files install completed. Performing other installation steps.',
        'Downloading foo 64 bit',
        "  from 'https://example.com/foo.msi'",
        'Installing foo...',
        'ERROR: Running ["C:\\Windows\\System32\\msiexec.exe" /i "C:\\Temp\\foo.msi" /qn ] was not successful. Exit code was \'1603\'. Exit code indicates the following: Generic MSI Error.',
        'The install of foo was NOT successful.',
        "Error while running 'C:\\ProgramData\\chocolatey\\lib\\foo\\tools\\chocolateyInstall.ps1'.",
        ' See log for details.',
        '',
        'Chocolatey installed 0/1 packages. 1 packages failed.',
        ' See the log for details (C:\\ProgramData\\chocolatey\\logs\\chocolatey.log).',
        '',
        'Failures',
        " - foo (exited 1603) - Error while running 'C:\\ProgramData\\chocolatey\\lib\\foo\\tools\\chocolateyInstall.ps1'.",
        ' See log for details.',
      ),
    ],
  "Unable to resolve dependency 'vcredist140 (>= 14.0.24123)'.": [
    failed(
      'Package[bar]',
      "Execution of 'C:\\ProgramData\\chocolatey\\bin\\choco.exe install bar -y' returned 1: Chocolatey v1.4.0",
      'Installing the following packages:',
      'bar',
      'By installing, you accept licenses for the packages.',
      'The install of bar was NOT successful.',
      'bar not upgraded. An error occurred during installation:',
      " Unable to resolve dependency 'vcredist140 (>= 14.0.24123)'.",
      '',
      'Chocolatey installed 0/1 packages. 1 packages failed.',
      ' See the log for details (C:\\ProgramData\\chocolatey\\logs\\chocolatey.log).',
    ),
  ],
  'baz - baz not installed. The package was not found with the source(s) listed.': [
    failed(
      'Package[baz]',
      "Execution of 'C:\\ProgramData\\chocolatey\\bin\\choco.exe install baz -y' returned 1: Chocolatey v1.4.0",
      'Chocolatey installed 0/1 packages. 1 packages failed.',
      ' See the log for details (C:\\ProgramData\\chocolatey\\logs\\chocolatey.log).',
      '',
      'Failures',
      ' - baz - baz not installed. The package was not found with the source(s) listed.',
      ' Source(s): "https://nuget.example.com/"',
      ' NOTE: When you specify explicit sources, it overrides default sources.',
    ),
  ],
  'Package[Chrome]: Failed to install: Fatal error during installation': [
    failed('Package[Chrome]', 'Failed to install: Fatal error during installation'),
  ],
}
