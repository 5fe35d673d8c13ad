/** What surrounds the reason: places in the words of older versions, JSON and HTML, prompts, traces, advice. */

import { failed, failedOn, logged, type CauseTable } from './table.ts'

const CATALOG = 'Could not retrieve catalog from remote server: '
const ABSENT = 'change from absent to present failed: '
const METADATA = 'Could not evaluate: Could not retrieve file metadata for puppet://'
const START = 'change from stopped to running failed: '
const MISMATCH =
  "Server hostname 'puppet' did not match server certificate; expected securedrop-monitor"
const GENERATE = "Failed to generate additional resources using 'generate': "
const KEY = 'hkp://keys.gnupg.net:80 --recv-keys 89DF5277'
const gem = (error: string, line: string): string =>
  `${ABSENT}Execution of '/usr/bin/gem install x' returned 1: ERROR:  While executing gem ... (${error})\n    ${line}`

export const WRAPPINGS: CauseTable = {
  // A server that does not answer is one cause, whichever file was asked for, before and since Puppet 4.
  'Connection refused': [
    failed('File[/etc/noop]', `${METADATA}/modules/web/noop.conf: Connection refused`),
  ],
  'getaddrinfo: Name or service not known': [
    logged(`${CATALOG}getaddrinfo: Name or service not known`),
    failed(
      'File[/var/lib/puppet/facts.d]',
      `${METADATA}puppet/pluginfacts: getaddrinfo: Name or service not known`,
      'Wrapped exception:',
      'getaddrinfo: Name or service not known',
    ),
  ],
  "Server hostname 'puppet' did not match server certificate; expected securedrop-monitor": [
    logged(`${CATALOG}${MISMATCH}`),
    failed(
      'File[/var/lib/puppet/lib]',
      `Could not evaluate: ${MISMATCH} Could not retrieve file metadata for puppet://puppet/plugins: ${MISMATCH}`,
    ),
  ],
  'No more routes to fileserver': [
    failed('File[/opt/a.py]', `${METADATA}/modules/jupyterhub/a.py: No more routes to fileserver`),
    failed('File[/etc/b.conf]', `${METADATA}/modules/freeipa/b.conf: No more routes to fileserver`),
  ],
  // The server answers, and says which file it does not serve.
  'Could not retrieve file metadata for puppet:///modules/web/a.conf: Error 404 on SERVER: Not Found':
    [failed('File[/etc/a]', `${METADATA}/modules/web/a.conf: Error 404 on SERVER: Not Found`)],
  "Invalid name; names must begin with a letter [name, hunner's website]": [
    failed(
      'Netscaler_cspolicylabel[website]',
      `${ABSENT}Could not set 'present' on ensure: REST failure: HTTP status code 400 detected.  Body of failure is: { "errorcode": 1075, "message": "Invalid name; names must begin with a letter [name, hunner's website]", "severity": "ERROR" } at 55:/etc/puppet/environments/produc`,
    ),
  ],
  "Failed to parse template ganglia/gmetadp.conf.erb: Detail: undefined method `[]' for nil:NilClass":
    [
      logged(
        `${CATALOG}Error 500 on SERVER: {"message":"Server Error: Evaluation Error: Error while evaluating a Function Call, Failed to parse template ganglia/gmetadp.conf.erb:\\n  Filepath: /etc/puppet/modules/ganglia/templates/gmetadp.conf.erb\\n  Line: 46\\n  Detail: undefined method \`[]' for nil:NilClass\\n","issue_kind":"RUNTIME_ERROR"}`,
      ),
    ],
  'Could not locate the pip command.': [
    failed(
      'Package[virtualenv]',
      `${ABSENT}Could not set 'present on ensure: Could not locate the pip command. at /etc/puppet/modules/dummy/manifests/init.pp:5`,
    ),
    failed(
      'Package[supervisor]',
      `${ABSENT}Could not set 'present' on ensure: Could not locate the pip command. at 9:/etc/puppet/modules/supervisord/manifests/install.pp`,
    ),
  ],
  'start_year must be set': [
    failed(
      'Scheduled_task[report]',
      `${ABSENT}Could not set 'present' on ensure: start_year must be set at 17:c:/test.pp`,
    ),
  ],
  'Could not start Service[gunicorn]': [
    failed(
      'Service[gunicorn]',
      `${START}Could not start Service[gunicorn]: Execution of '/etc/init.d/gunicorn start' returned 1:  at /tmp/vagrant-puppet-2/modules-0/python/manifests/config.pp:36`,
    ),
  ],
  'Could not start Service[redis-server]': [
    failed(
      'Service[redis-server]',
      `${START}Could not start Service[redis-server]: Execution of '/etc/init.d/redis_6379 start' returned 1:  at /etc/puppet/modules/redis-server/manifests/init.pp:146`,
    ),
  ],
  'Could not autoload puppet/type/firewalld_zone: Could not autoload puppet/provider/firewalld_zone/zoneprovider: cannot load such file -- puppet/provider/firewalld':
    [
      logged(
        `${CATALOG}Error 400 on SERVER: Evaluation Error: Error while evaluating a Virtual Query, Could not autoload puppet/type/firewalld_zone: Could not autoload puppet/provider/firewalld_zone/zoneprovider: cannot load such file -- puppet/provider/firewalld at firewalld/manifests/init.pp:51:27 on node server3`,
      ),
    ],
  "Unknown resource type: 'iis::manage_site'": [
    logged(
      `${CATALOG}Error 500 on SERVER: {"message":"Server Error: Evaluation Error: Error while evaluating a Resource Statement, Unknown resource type: 'iis::manage_site' at /etc/puppetlabs/code/environments/production/modules/chocolatey_server/manifests/init.pp:71:3 on node SERVER","issue_kind":"RUNTIME_ERROR","stacktrace":["Warning: The 'stacktrace' property is deprecated and will be removed in a future version of Puppet."]}`,
    ),
    logged(
      `${CATALOG}Error 500 on SERVER: Server Error: Evaluation Error: Error while evaluating a Resource Statement, Unknown resource type: 'iis::manage_site' (file: /etc/puppetlabs/code/environments/production/modules/chocolatey_server/manifests/init.pp, line: 71, column: 3) on node web-1.example.com`,
    ),
  ],
  '"" is not an Array. It looks to be a String': [
    logged(
      `${CATALOG}Error 500 on SERVER: {"message":"Server Error: Evaluation Error: Error while evaluating a Function Call, \\"\\" is not an Array.  It looks to be a String at /etc/puppetlabs/code/environments/production/modules/nginx/manifests/resource/vhost.pp:349:3 on node web-1.example.com","issue_kind":"RUNTIME_ERROR"}`,
    ),
  ],
  '500 Internal Server Error': [
    logged(
      `${CATALOG}Error 500 on SERVER: <!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">`,
      '<html><head>',
      '<title>500 Internal Server Error</title>',
      '</head><body>',
      '<h1>Internal Server Error</h1>',
      '<p>The server encountered an internal error or',
    ),
  ],
  "Malformed XML: Content at the start of the document (got '???')": [
    logged(
      "Could not prefetch chocolateyfeature provider 'windows': Malformed XML: Content at the start of the document (got '???')",
      'Line: 1',
      'Position: 47',
      'Last 80 unconsumed characters:',
      '<?xml version="1.0" encoding="utf-8"?>',
    ),
  ],
  "Class[Resolv_conf]: expects a value for parameter 'config_file'": [
    logged(
      `${CATALOG}Error 500 on SERVER: Server Error: Evaluation Error: Error while evaluating a Resource Statement, Class[Resolv_conf]:`,
      "  expects a value for parameter 'config_file'",
      "  expects a value for parameter 'config_template'",
      "  expects a value for parameter 'package_ensure' at /etc/puppetlabs/code/environments/production/site/profile/manifests/dns_config.pp:4:3 on node web-1.example.com",
    ),
  ],
  'ERROR: While executing gem ... (OptionParser::InvalidOption) invalid option: --include-dependencies':
    [
      failed(
        'Package[bundler]',
        gem('OptionParser::InvalidOption', 'invalid option: --include-dependencies'),
      ),
    ],
  'ERROR: While executing gem ... (Errno::ENOENT) No such file or directory @ rb_sysopen - /.gem/ruby/2.1.0/cache/puppet-lint-1.1.0.gem':
    [
      failed(
        'Package[puppet-lint]',
        gem(
          'Errno::ENOENT',
          'No such file or directory @ rb_sysopen - /.gem/ruby/2.1.0/cache/puppet-lint-1.1.0.gem',
        ),
      ),
    ],
  'FirewallD is not running': [
    failed(
      'Firewalld_zone[foo]',
      "Could not evaluate: Execution of '/bin/firewall-cmd --permanent --get-zones' returned 252: FirewallD is not running",
    ),
    failed(
      'Firewalld_zone[public]',
      `${GENERATE}Execution of '/bin/firewall-cmd --permanent --get-zones' returned 252: FirewallD is not running`,
    ),
  ],
  'mkfs.xfs: /dev/mapper/myvg-mylv appears to contain an existing filesystem (ext4).': [
    failed(
      'Filesystem[/dev/myvg/mylv]',
      "change from absent to xfs failed: Execution of '/sbin/mkfs.xfs /dev/myvg/mylv' returned 1: mkfs.xfs: /dev/mapper/myvg-mylv appears to contain an existing filesystem (ext4).",
      'mkfs.xfs: Use the -f option to force overwrite.',
    ),
  ],
  "The term 'ConvertTo-JSON' is not recognized as the name of a cmdlet, function, script file, or operable program.":
    [
      logged(
        "Could not prefetch windowsfeature provider 'default': Execution of 'powershell.exe Get-WindowsFeature | ConvertTo-JSON' returned 1: The term 'ConvertTo-JSON' is not recognized as the name of a cmdlet, function, script file, or operable program.",
        'At line:1 char:36',
        '+ Get-WindowsFeature | ConvertTo-JSON <<<<',
        '+ CategoryInfo          : ObjectNotFound: (ConvertTo-JSON:String) [], CommandNotFoundException',
        '+ FullyQualifiedErrorId : CommandNotFoundException',
      ),
    ],
  'gpgkeys: key 89DF5277 not found on keyserver': [
    failed(
      'Apt_key[dotdeb]',
      `${ABSENT}Execution of '/usr/bin/apt-key adv --keyserver ${KEY}' returned 2: Executing: gpg --ignore-time-conflict --trustdb-name /etc/apt//trustdb.gpg --keyserver ${KEY}`,
      'gpg: requesting key 89DF5277 from hkp server keys.gnupg.net',
      'gpgkeys: key 89DF5277 not found on keyserver',
      'gpg: no valid OpenPGP data found.',
      'gpg: Total number processed: 0',
    ),
  ],
  'Failed to start foo.service: Unit foo.service failed to load: Invalid argument.': [
    failed(
      'Service[foo]',
      `${START}Could not start Service[foo]: Execution of '/usr/bin/systemctl start foo' returned 6: Failed to start foo.service: Unit foo.service failed to load: Invalid argument. See system logs and 'systemctl status foo.service' for details.`,
    ),
  ],
  'foo.service lacks both ExecStart= and ExecStop= setting. Refusing.': [
    failed(
      'Service[foo]',
      `${START}Systemd start for foo failed!`,
      'journalctl log for foo:',
      '-- Logs begin at Mon 2016-06-20 12:07:17 UTC, end at Mon 2016-06-20 12:08:06 UTC. --',
      'Jun 20 12:08:06 centos-7-x64 systemd[1]: foo.service lacks both ExecStart= and ExecStop= setting. Refusing.',
    ),
  ],
  'Process 5008 exited before reload had completed': [
    failed(
      'Service[pe-puppetserver]',
      'Failed to call refresh: Systemd restart for pe-puppetserver failed!',
      'journalctl log for pe-puppetserver:',
      'Dec 08 17:08:02 web-1 systemd[1]: Reloading pe-puppetserver Service.',
      'Dec 08 17:08:12 web-1 systemd[1]: pe-puppetserver.service: main process exited, code=exited, status=129/n/a',
      'Dec 08 17:08:12 web-1 puppetserver[5249]: Process 5008 exited before reload had completed',
      'Dec 08 17:08:12 web-1 systemd[1]: pe-puppetserver.service: control process exited, code=exited status=1',
      'Dec 08 17:08:12 web-1 systemd[1]: Reload failed for pe-puppetserver Service.',
    ),
    failedOn(
      'db-1.example.com',
      'Service[pe-puppetserver]',
      'Failed to call refresh: Systemd restart for pe-puppetserver failed!',
      'journalctl log for pe-puppetserver:',
      'Dec 09 17:08:12 db-1 puppetserver[31]: Process 77 exited before reload had completed',
    ),
  ],
}
