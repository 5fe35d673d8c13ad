/** Catalogs that do not compile, and catalogs that cannot be applied. */

import { logged, loggedOn, type CauseTable } from './table.ts'

const CATALOG = 'Could not retrieve catalog from remote server: '
const SERVER = `${CATALOG}Error 500 on SERVER: Server Error: `
const CODE = '/etc/puppetlabs/code/environments/production'

export const COMPILATION: CauseTable = {
  "Unknown variable: 'x'.": [
    logged(
      `${SERVER}Evaluation Error: Unknown variable: 'x'. (file: ${CODE}/site/web.pp, line: 3, column: 9) on node web-1.example.com`,
    ),
    loggedOn(
      'db-7.example.com',
      `${SERVER}Evaluation Error: Unknown variable: 'x'. (file: ${CODE}/site/web.pp, line: 5, column: 9) on node db-7.example.com`,
    ),
    // Puppet 4 wrote the place otherwise, and the server another number.
    logged(
      `${CATALOG}Error 400 on SERVER: Evaluation Error: Unknown variable: 'x'. at ${CODE}/site/web.pp:3:9 on node web-1.example.com`,
    ),
  ],
  "Unknown variable: 'role'.": [
    logged(
      `${SERVER}Evaluation Error: Unknown variable: 'role'. (file: ${CODE}/site/web.pp, line: 3, column: 9) on node web-1.example.com`,
    ),
  ],
  'deliberate: no such role': [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, deliberate: no such role (file: ${CODE}/manifests/site.pp, line: 1, column: 16) on node web-1.example.com`,
    ),
  ],
  "Syntax error at '}' (site/web.pp)": [
    logged(
      `${SERVER}Syntax error at '}' (file: ${CODE}/site/web.pp, line: 12, column: 1) on node web-1.example.com`,
    ),
    logged(
      `${CATALOG}Error 400 on SERVER: Syntax error at '}' at ${CODE.replace('production', 'staging')}/site/web.pp:14:1 on node web-1.example.com`,
    ),
  ],
  // The same words about another manifest: another mistake, of which its place tells.
  'Syntax error at end of input (site/db.pp)': [
    logged(
      `${SERVER}Syntax error at end of input (file: ${CODE}/site/db.pp, line: 40, column: 1) on node web-1.example.com`,
    ),
  ],
  'Could not find class ::profile::app for ‹node›': [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, Could not find class ::profile::app for web-1.example.com (file: ${CODE}/site/role.pp, line: 4, column: 3) on node web-1.example.com`,
    ),
    loggedOn(
      'app-2.example.com',
      `${CATALOG}Error 400 on SERVER: Could not find class profile::app for app-2.example.com at ${CODE}/site/role.pp:4 on node app-2.example.com`,
    ),
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Resource Statement, Could not find declared class ::profile::app (file: ${CODE}/site/role.pp, line: 4, column: 3) on node web-1.example.com`,
    ),
  ],
  'Could not find class ::profile::db for ‹node›': [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, Could not find class ::profile::db for web-1.example.com (file: ${CODE}/site/role.pp, line: 9, column: 3) on node web-1.example.com`,
    ),
  ],
  'Duplicate declaration: File[/etc/motd] is already declared at; cannot redeclare': [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Resource Statement, Duplicate declaration: File[/etc/motd] is already declared at (file: ${CODE}/site/a.pp, line: 3); cannot redeclare (file: ${CODE}/site/b.pp, line: 7) (file: ${CODE}/site/b.pp, line: 7, column: 3) on node web-1.example.com`,
    ),
  ],
  'Duplicate declaration: Package[git] is already declared at; cannot redeclare': [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Resource Statement, Duplicate declaration: Package[git] is already declared at (file: ${CODE}/site/a.pp, line: 3); cannot redeclare (file: ${CODE}/site/b.pp, line: 7) (file: ${CODE}/site/b.pp, line: 7, column: 3) on node web-1.example.com`,
    ),
  ],
  "Function lookup() did not find a value for the name 'app::password'": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, Function lookup() did not find a value for the name 'app::password' (file: ${CODE}/site/app.pp, line: 2, column: 3) on node web-1.example.com`,
    ),
  ],
  [`Lookup of key 'app::port' failed: Unable to parse (${CODE}/data/common.yaml): did not find expected key while parsing a block mapping at line 2 column 1`]:
    [
      logged(
        `${SERVER}Lookup of key 'app::port' failed: Unable to parse (${CODE}/data/common.yaml): did not find expected key while parsing a block mapping at line 2 column 1 on node web-1.example.com`,
      ),
    ],
  "Class[Nginx]: parameter 'port' expects an Integer value, got String": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Resource Statement, Class[Nginx]: parameter 'port' expects an Integer value, got String (file: ${CODE}/site/web.pp, line: 6, column: 3) on node web-1.example.com`,
    ),
  ],
  "Class[Nginx]: expects a value for parameter 'root'": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Resource Statement, Class[Nginx]: expects a value for parameter 'root' (file: ${CODE}/site/web.pp, line: 6, column: 3) on node web-1.example.com`,
    ),
  ],
  "Unknown resource type: 'ngnix::vhost'": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Resource Statement, Unknown resource type: 'ngnix::vhost' (file: ${CODE}/site/web.pp, line: 6, column: 3) on node web-1.example.com`,
    ),
  ],
  "Failed to parse template web/vhost.erb: Detail: undefined method `join' for nil:NilClass": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, Failed to parse template web/vhost.erb:`,
      `  Filepath: ${CODE}/modules/web/templates/vhost.erb`,
      '  Line: 3',
      "  Detail: undefined method `join' for nil:NilClass",
      ` (file: ${CODE}/site/web.pp, line: 6, column: 3) on node web-1.example.com`,
    ),
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, Failed to parse template web/vhost.erb:`,
      `  Filepath: ${CODE}/modules/web/templates/vhost.erb`,
      '  Line: 4',
      "  Detail: undefined method 'join' for nil",
      ` (file: ${CODE}/site/web.pp, line: 6, column: 3) on node web-1.example.com`,
    ),
  ],
  "Failed to parse template web/app.erb: Detail: undefined method `join' for nil:NilClass": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, Failed to parse template web/app.erb:`,
      `  Filepath: ${CODE}/modules/web/templates/app.erb`,
      '  Line: 3',
      "  Detail: undefined method `join' for nil:NilClass",
      ` (file: ${CODE}/site/web.pp, line: 6, column: 3) on node web-1.example.com`,
    ),
  ],
  "Could not find node statement with name 'default' or '‹node›, ‹node›.example, ‹node›'": [
    logged(
      `${SERVER}Could not find node statement with name 'default' or 'web-1.example.com, web-1.example, web-1' on node web-1.example.com`,
    ),
    loggedOn(
      'db-7.example.com',
      `${SERVER}Could not find node statement with name 'default' or 'db-7.example.com, db-7.example, db-7' on node db-7.example.com`,
    ),
  ],
  'Failed when searching for node ‹node›: Classification of ‹node› failed due to a Node Manager service error.':
    [
      logged(
        `${SERVER}Failed when searching for node web-1.example.com: Classification of web-1.example.com failed due to a Node Manager service error.`,
      ),
      loggedOn(
        'db-7.example.com',
        `${SERVER}Failed when searching for node db-7.example.com: Classification of db-7.example.com failed due to a Node Manager service error.`,
      ),
    ],
  'Found 1 dependency cycle: (File[/etc/a] => Service[b] => File[/etc/a])': [
    logged(
      'Failed to apply catalog: Found 1 dependency cycle:',
      '(File[/etc/a] => Service[b] => File[/etc/a])',
      "Try the '--graph' option and opening the resulting '.dot' file in OmniGraffle or GraphViz",
    ),
  ],
  'Could not find dependency File[/etc/x] for Service[y]': [
    logged(
      `Failed to apply catalog: Could not find dependency File[/etc/x] for Service[y] (file: ${CODE}/site/y.pp, line: 4)`,
    ),
  ],
  'Could not find dependency Package[z] for Service[y]': [
    logged(
      `Failed to apply catalog: Could not find dependency Package[z] for Service[y] (file: ${CODE}/site/y.pp, line: 4)`,
    ),
  ],
  'Could not find resource File[/etc/ssl/certs/edge.pem]': [
    logged(
      `Failed to apply catalog: Could not find resource File[/etc/ssl/certs/edge.pem] (file: ${CODE}/site/tls.pp, line: 23)`,
    ),
  ],
  "Failed to execute '/pdb/cmd/v1?checksum=9d44576a8a7d53c506b18eb9270b1a89608ede34&version=5&certname=‹node›&command=replace_facts' on at least 1 of the following 'server_urls': https://puppetdb:8081":
    [
      logged(
        "Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Failed to execute '/pdb/cmd/v1?checksum=9d44576a8a7d53c506b18eb9270b1a89608ede34&version=5&certname=web-1.example.com&command=replace_facts' on at least 1 of the following 'server_urls': https://puppetdb:8081",
      ),
      loggedOn(
        'db-7.example.com',
        "Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Failed to execute '/pdb/cmd/v1?checksum=1111111111111111111111111111111111111111&version=5&certname=db-7.example.com&command=replace_facts' on at least 1 of the following 'server_urls': https://puppetdb2:8081",
      ),
      loggedOn(
        'db-8.example.com',
        "Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Failed to execute '/pdb/cmd/v1?checksum=e964363fac676b616fb8d97f6b347e3647cf9a65&version=5&certname=db-8.example.com&command=replace_facts&producer-timestamp=2021-04-12T07:56:13.589Z' on at least 1 of the following 'server_urls': https://puppetdb:8081",
      ),
      loggedOn(
        'db-9.example.com',
        "Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Failed to execute '/pdb/cmd/v1?checksum=a964363fac676b616fb8d97f6b347e3647cf9a65&version=5&certname=db-9.example.com&command=replace_facts&producer-timestamp=2021-05-13T08:56:14.1Z' on at least 1 of the following 'server_urls': https://puppetdb:8081",
      ),
    ],
  "Validation of Exec[foo] failed: 'bar' is not qualified and no path was specified. Please qualify the command or specify a path.":
    [
      logged(
        `Failed to apply catalog: Validation of Exec[foo] failed: 'bar' is not qualified and no path was specified. Please qualify the command or specify a path. (file: ${CODE}/site/a.pp, line: 3)`,
      ),
      loggedOn(
        'db-1.example.com',
        `Failed to apply catalog: Validation of Exec[foo] failed: 'bar' is not qualified and no path was specified. Please qualify the command or specify a path. at ${CODE}/site/a.pp:9`,
      ),
    ],
  "Could not find template 'web/vhost.erb'": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, Could not find template 'web/vhost.erb' (file: ${CODE}/site/a.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  "Could not find template 'web/other.erb'": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, Could not find template 'web/other.erb' (file: ${CODE}/site/a.pp, line: 4, column: 1) on node web-1.example.com`,
    ),
  ],
  "Operator '[]' is not applicable to an Undef Value. (site/a.pp)": [
    logged(
      `${SERVER}Evaluation Error: Operator '[]' is not applicable to an Undef Value. (file: ${CODE}/site/a.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
    loggedOn(
      'db-1.example.com',
      `${SERVER}Evaluation Error: Operator '[]' is not applicable to an Undef Value. (file: /etc/puppetlabs/code/environments/staging/site/a.pp, line: 5, column: 1) on node db-1.example.com`,
    ),
  ],
  "Operator '[]' is not applicable to an Undef Value. (site/b.pp)": [
    logged(
      `${SERVER}Evaluation Error: Operator '[]' is not applicable to an Undef Value. (file: ${CODE}/site/b.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  "'versioncmp' parameter 'a' expects a String value, got Undef (site/a.pp)": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, 'versioncmp' parameter 'a' expects a String value, got Undef (file: ${CODE}/site/a.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  "'versioncmp' parameter 'a' expects a String value, got Undef (site/b.pp)": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, 'versioncmp' parameter 'a' expects a String value, got Undef (file: ${CODE}/site/b.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  "The value '' cannot be converted to Numeric. (site/a.pp)": [
    logged(
      `${SERVER}Evaluation Error: The value '' cannot be converted to Numeric. (file: ${CODE}/site/a.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  "The value '' cannot be converted to Numeric. (site/b.pp)": [
    logged(
      `${SERVER}Evaluation Error: The value '' cannot be converted to Numeric. (file: ${CODE}/site/b.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  "undefined method `[]' for nil:NilClass (site/c.pp)": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, undefined method \`[]' for nil:NilClass (file: ${CODE}/site/c.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, undefined method '[]' for nil (file: ${CODE}/site/c.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  "undefined method `[]' for nil:NilClass (site/d.pp)": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Function Call, undefined method \`[]' for nil:NilClass (file: ${CODE}/site/d.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  "Class[App]: has no parameter named 'prot'": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Resource Statement, Class[App]: has no parameter named 'prot' (file: ${CODE}/site/d.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  "Cannot reassign variable '$x'": [
    logged(
      `${SERVER}Evaluation Error: Cannot reassign variable '$x' (file: ${CODE}/site/d.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  "Lookup of key 'app::pw' failed: hiera-eyaml backend error decrypting ENC[PKCS7,MIIBiQYJKoZIhvcNAQcDoIIBejCCAXYCAQAxggEhMIIBHQIBADAFMAACAQEw] when parsing /etc/puppetlabs/code/environments/production/data/common.eyaml. Error was bad decrypt":
    [
      logged(
        `${SERVER}Evaluation Error: Error while evaluating a Function Call, Lookup of key 'app::pw' failed: hiera-eyaml backend error decrypting ENC[PKCS7,MIIBiQYJKoZIhvcNAQcDoIIBejCCAXYCAQAxggEhMIIBHQIBADAFMAACAQEw] when parsing ${CODE}/data/common.eyaml. Error was bad decrypt (file: ${CODE}/site/d.pp, line: 3, column: 1) on node web-1.example.com`,
      ),
      loggedOn(
        'db-1.example.com',
        `${SERVER}Evaluation Error: Error while evaluating a Function Call, Lookup of key 'app::pw' failed: hiera-eyaml backend error decrypting ENC[PKCS7,AAABiQYJKoZIhvcNAQcDoIIBejCCAXYCAQAxggEhMIIBHQIBADAFzzzC9EEw] when parsing ${CODE}/data/nodes/db-1.eyaml. Error was bad decrypt (file: ${CODE}/site/d.pp, line: 3, column: 1) on node db-1.example.com`,
      ),
    ],
  "Failed to parse inline template: undefined local variable or method `x' for #<Puppet::Parser::TemplateWrapper:0x000055d0a1b2c3d4>":
    [
      logged(
        `${SERVER}Evaluation Error: Error while evaluating a Function Call, Failed to parse inline template: undefined local variable or method \`x' for #<Puppet::Parser::TemplateWrapper:0x000055d0a1b2c3d4> (file: ${CODE}/site/e.pp, line: 3, column: 1) on node web-1.example.com`,
      ),
      loggedOn(
        'db-1.example.com',
        `${SERVER}Evaluation Error: Error while evaluating a Function Call, Failed to parse inline template: undefined local variable or method \`x' for #<Puppet::Parser::TemplateWrapper:0x00007f00deadbeef> (file: ${CODE}/site/e.pp, line: 3, column: 1) on node db-1.example.com`,
      ),
    ],
  "Could not find a directory environment named 'feature_x' anywhere in the path: /etc/puppetlabs/code/environments. Does the directory exist?":
    [
      logged(
        `${SERVER}Could not find a directory environment named 'feature_x' anywhere in the path: /etc/puppetlabs/code/environments. Does the directory exist?`,
      ),
    ],
  "Failed to submit 'replace facts' command for ‹node› to PuppetDB at puppetdb:8081: [500 Server Error] <html>":
    [
      logged(
        `${SERVER}Failed to submit 'replace facts' command for web-1.example.com to PuppetDB at puppetdb:8081: [500 Server Error] <html>`,
      ),
      loggedOn(
        'db-1.example.com',
        `${SERVER}Failed to submit 'replace facts' command for db-1.example.com to PuppetDB at puppetdb:8081: [500 Server Error] <html>`,
      ),
    ],
  'Could not find declared class foo': [
    logged(
      `Could not retrieve catalog from remote server: Error 400 on SERVER: Puppet::Parser::AST::Resource failed with error ArgumentError: Could not find declared class foo at ${CODE}/site/a.pp:3 on node web-1.example.com`,
    ),
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Resource Statement, Could not find declared class ::foo (file: ${CODE}/site/a.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  'Invalid resource type foo::bar': [
    logged(
      `Could not retrieve catalog from remote server: Error 400 on SERVER: Puppet::Parser::AST::Resource failed with error ArgumentError: Invalid resource type foo::bar at ${CODE}/site/a.pp:3 on node web-1.example.com`,
    ),
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Resource Statement, Unknown resource type: 'foo::bar' (file: ${CODE}/site/a.pp, line: 3, column: 1) on node web-1.example.com`,
    ),
  ],
  "Could not find resource 'Class[Foo]' in parameter 'require'": [
    logged(
      `${SERVER}Evaluation Error: Error while evaluating a Resource Statement, Could not find resource 'Class[Foo]' in parameter 'require' (file: ${CODE}/site/d.pp, line: 3) on node web-1.example.com`,
    ),
  ],
  'Found dependency cycles in the following relationships: File[/etc/a] => Service[b], Service[b] => File[/etc/a]':
    [
      logged(
        'Could not apply complete catalog: Found dependency cycles in the following relationships: File[/etc/a] => Service[b], Service[b] => File[/etc/a]',
        "Try the '--graph' option",
      ),
    ],
}
