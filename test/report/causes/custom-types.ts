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
    // Puppet 3 says why before and after what it asked for.
    failed(
      'File[/var/lib/puppet/lib]',
      'Could not evaluate: Connection refused - connect(2) Could not retrieve file metadata for puppet://puppet-server.vip.example.com/plugins: Connection refused - connect(2)',
    ),
    failed(
      'File[/var/lib/puppet/lib]',
      "Failed to generate additional resources using 'eval_generate': Connection refused - connect(2)",
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
  "Failure to successfully start the website 'intranet'.": [
    failed(
      'Dsc_xwebsite[intranet]',
      "change from 'absent' to 'present' failed: PowerShell DSC resource MSFT_xWebsite  failed to execute Set-TargetResource functionality with error message: Failure to successfully start the website 'intranet'. ",
    ),
  ],
  'Access to a CIM resource was not available to the client.': [
    failed(
      'Dsc_xdnsclientglobalsetting[search]',
      'Could not evaluate: PowerShell DSC resource MSFT_xDnsClientGlobalSetting  failed to execute Set-TargetResource functionality with error message: The running command stopped because the preference variable "ErrorActionPreference" or common parameter is set to Stop: Access to a CIM resource was not available to the client. ',
    ),
  ],
  'Dsc_xsqlserversetup[main]: Test-TargetResource returned false after calling set.': [
    failed(
      'Dsc_xsqlserversetup[main]',
      'Could not evaluate: PowerShell DSC resource MSFT_xSQLServerSetup failed to execute Set-TargetResource functionality with error message: Test-TargetResource returned false after calling set.',
    ),
  ],
  'Dsc_xwebsite[b]: threw one or more non-terminating errors while running the Set-TargetResource functionality.':
    [
      failed(
        'Dsc_xwebsite[b]',
        "Could not evaluate: The PowerShell DSC resource '[xWebsite]DirectResourceAccess' with SourceInfo '' threw one or more non-terminating errors while running the Set-TargetResource functionality. These errors are logged to the ETW channel called Microsoft-Windows-DSC/Operational. Refer to this channel for more details.",
      ),
    ],
  'File C:\\modules\\MSFT_xGroupResource.psm1 cannot be loaded because running scripts is disabled on this system.':
    [
      failed(
        'Dsc_xgroup[ops]',
        'Could not evaluate: Importing module MSFT_xGroupResource failed with error - File C:\\modules\\MSFT_xGroupResource.psm1 cannot be loaded because running scripts is disabled on this system. For more information, see about_Execution_Policies at http://go.microsoft.com/fwlink/?LinkID=135170.',
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
  'keytool error: java.io.IOException: Keystore was tampered with, or password was incorrect': [
    failed(
      'Java_ks[app]',
      "Could not evaluate: Execution of '/usr/bin/keytool -list -keystore /etc/app.jks' returned 1: keytool error: java.io.IOException: Keystore was tampered with, or password was incorrect",
    ),
    failed(
      'Java_ks[puppetca:keystore]',
      "change from absent to latest failed: Execution of 'keytool -importcert -noprompt -alias puppetca' returned 1: Enter keystore password:  keytool error: java.io.IOException: Keystore was tampered with, or password was incorrect",
    ),
  ],
  'Another app is currently holding the xtables lock. Perhaps you want to use the -w option?': [
    failed(
      'Firewall[100 ssh]',
      "Execution of '/sbin/iptables -I INPUT 1 -p tcp' returned 4: Another app is currently holding the xtables lock. Perhaps you want to use the -w option?",
    ),
  ],
  'ERROR: Could not connect': [
    failed(
      'Package[l]',
      "Could not get latest version: Execution of '/usr/bin/pip3 install -v l==9!0dev0+x' returned 1: ERROR: Could not connect",
    ),
  ],
  "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: NO)": [
    logged(
      "Could not prefetch mysql_user provider 'mysql': Execution of '/usr/bin/mysql -NBe select 1' returned 1: ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: NO)",
    ),
  ],
  'docker: Error response from daemon: Conflict. The container name "/app" is already in use by container "9d44576a8a7d53c506b18eb9270b1a89608ede3489bdd9a0a3eeb6a4511849ec". You have to remove (or rename) that container to be able to reuse that name.':
    [
      failed(
        'Docker::Run[app]',
        'Execution of \'/usr/bin/docker run app\' returned 125: docker: Error response from daemon: Conflict. The container name "/app" is already in use by container "9d44576a8a7d53c506b18eb9270b1a89608ede3489bdd9a0a3eeb6a4511849ec". You have to remove (or rename) that container to be able to reuse that name.',
        "See 'docker run --help'.",
      ),
    ],
  "Plan aborted: run_script 'deploy/check.sh' failed on 2 targets": [
    logged("Plan aborted: run_script 'deploy/check.sh' failed on 2 targets"),
    logged("Plan aborted: run_script 'deploy/check.sh' failed on 1 target"),
  ],
  'Error sending command \'set\' with params ["/files/etc/x", "1"]/invalid path expression': [
    failed(
      'Augeas[x]',
      'Could not evaluate: Error sending command \'set\' with params ["/files/etc/x", "1"]/invalid path expression',
    ),
  ],
  'Failed to resolve typeattributeset statement': [
    failed(
      'Selinux::Module[x]',
      "Execution of '/usr/sbin/semodule -i /tmp/x.pp' returned 1: libsemanage.semanage_direct_install_info: Overriding x module at lower priority 100 with module at priority 400.",
      'Failed to resolve typeattributeset statement at /var/lib/selinux/targeted/tmp/modules/400/x/cil:3',
      'semodule:  Failed!',
    ),
  ],
  "Error evaluating 'unless' clause, returned pid 4711 exit 2: 'psql: could not connect to server: No such file or directory":
    [
      failed(
        'Postgresql_psql[x]',
        "Error evaluating 'unless' clause, returned pid 4711 exit 2: 'psql: could not connect to server: No such file or directory",
        '\tIs the server running locally and accepting',
        '\tconnections on Unix domain socket "/var/run/postgresql/.s.PGSQL.5432"?',
        "'",
      ),
    ],
}
