/** Certificates, connections to the server, and the agent's own errors. */

import { logged, loggedOn, type CauseTable } from './table.ts'

const CATALOG = 'Could not retrieve catalog from remote server: '

export const CONNECTIONS: CauseTable = {
  'certificate verify failed [unable to get local issuer certificate for CN=puppet.example.com]': [
    logged(
      `${CATALOG}certificate verify failed [unable to get local issuer certificate for CN=puppet.example.com]`,
    ),
    logged(
      `${CATALOG}SSL_connect returned=1 errno=0 state=error: certificate verify failed: [unable to get local issuer certificate for /CN=puppet]`,
    ),
  ],
  'certificate verify failed [self signed certificate in certificate chain for CN=Puppet CA: puppet]':
    [
      logged(
        `${CATALOG}certificate verify failed [self signed certificate in certificate chain for CN=Puppet CA: puppet]`,
      ),
      logged(
        `${CATALOG}SSL_connect returned=1 errno=0 peeraddr=10.0.0.1:8140 state=error: certificate verify failed (self-signed certificate in certificate chain)`,
      ),
    ],
  'certificate verify failed [certificate has expired for CN=puppet.example.com]': [
    logged(
      `${CATALOG}certificate verify failed [certificate has expired for CN=puppet.example.com]`,
    ),
  ],
  // OpenSSL says its state first.
  'certificate verify failed (unable to get certificate CRL)': [
    logged(
      `${CATALOG}SSL_connect returned=1 errno=0 state=error: certificate verify failed (unable to get certificate CRL)`,
    ),
    logged(
      `${CATALOG}SSL_connect returned=1 errno=0 peeraddr=10.0.0.1:8140 state=error: certificate verify failed (unable to get certificate CRL)`,
    ),
  ],
  'certificate verify failed [CRL has expired for CN=puppet.example.com]': [
    logged(`${CATALOG}certificate verify failed [CRL has expired for CN=puppet.example.com]`),
  ],
  "Server hostname 'puppet' did not match server certificate; expected one of puppet.example.com, DNS:puppet.example.com":
    [
      logged(
        `${CATALOG}Server hostname 'puppet' did not match server certificate; expected one of puppet.example.com, DNS:puppet.example.com`,
      ),
    ],
  "The certificate for 'CN=‹node›' does not match its private key": [
    logged(
      "Could not run Puppet configuration client: The certificate for 'CN=web-1.example.com' does not match its private key",
    ),
    loggedOn(
      'db-7.example.com',
      "Could not run Puppet configuration client: The certificate for 'CN=db-7.example.com' does not match its private key",
    ),
  ],
  'Failed to open TCP connection to puppet:8140 (Connection refused - connect(2) for "puppet" port 8140)':
    [
      logged(
        `${CATALOG}Request to https://puppet:8140/puppet/v3/catalog/web-1.example.com?environment=production failed after 0.005 seconds: Failed to open TCP connection to puppet:8140 (Connection refused - connect(2) for "puppet" port 8140)`,
      ),
      loggedOn(
        'db-7.example.com',
        `${CATALOG}Request to https://puppet2.example.com:8140/puppet/v3/catalog/db-7.example.com?environment=production failed after 1.2 seconds: Failed to open TCP connection to puppet2.example.com:8140 (Connection refused - connect(2) for "puppet2.example.com" port 8140)`,
      ),
      logged(
        'Failed to connect to https://127.0.0.1:8140/puppet-ca/v1: Failed to open TCP connection to 127.0.0.1:8140 (Connection refused - connect(2) for "127.0.0.1" port 8140)',
        'Wrapped exception:',
        'Failed to open TCP connection to 127.0.0.1:8140 (Connection refused - connect(2) for "127.0.0.1" port 8140)',
      ),
    ],
  'Failed to open TCP connection to puppet:8140 (getaddrinfo: Name or service not known)': [
    logged(
      `${CATALOG}Request to https://puppet:8140/puppet/v3/catalog/web-1.example.com failed after 0.02 seconds: Failed to open TCP connection to puppet:8140 (getaddrinfo: Name or service not known)`,
    ),
  ],
  'Request to https://puppet:8140/puppet/v3/catalog/‹node› timed out read operation after 300.07 seconds':
    [
      logged(
        `${CATALOG}Request to https://puppet:8140/puppet/v3/catalog/web-1.example.com timed out read operation after 300.07 seconds`,
      ),
      loggedOn(
        'db-7.example.com',
        `${CATALOG}Request to https://puppet:8140/puppet/v3/catalog/db-7.example.com timed out read operation after 300.1 seconds`,
      ),
    ],
  'No more routes to puppet': [
    logged('Could not run Puppet configuration client: No more routes to puppet'),
  ],
  "Could not select a functional puppet server from server_list: 'puppet1.example.com,puppet2.example.com'":
    [
      logged(
        "Could not select a functional puppet server from server_list: 'puppet1.example.com,puppet2.example.com'",
      ),
    ],
  'Could not retrieve catalog; skipping run': [logged('Could not retrieve catalog; skipping run')],
  "Environment 'feature_x' not found on server, skipping initial remote environment.": [
    logged("Environment 'feature_x' not found on server, skipping initial remote environment."),
  ],
  "undefined method `[]' for nil:NilClass": [
    logged("Failed to apply catalog: undefined method `[]' for nil:NilClass"),
    logged("Failed to apply catalog: undefined method '[]' for nil"),
  ],
  'Cannot allocate memory - fork(2)': [
    logged('Could not run Puppet configuration client: Cannot allocate memory - fork(2)'),
    logged('Failed to apply catalog: Cannot allocate memory - fork(2)'),
  ],
  "Could not create resources for managing Puppet's files and directories in sections [:main, :agent, :ssl]: Permission denied":
    [
      logged(
        "Could not create resources for managing Puppet's files and directories in sections [:main, :agent, :ssl]: Permission denied",
      ),
    ],
  'Run of Puppet configuration client already in progress; skipping (/opt/puppetlabs/puppet/cache/state/agent_catalog_run.lock exists)':
    [
      logged(
        'Run of Puppet configuration client already in progress; skipping  (/opt/puppetlabs/puppet/cache/state/agent_catalog_run.lock exists)',
      ),
    ],
  'Could not intern from pson: source did not contain any PSON': [
    logged(
      'Could not retrieve catalog from remote server: Could not intern from pson: source did not contain any PSON',
    ),
  ],
  'certificate verify failed [certificate revoked for CN=puppet.example.com]': [
    logged(
      'Could not retrieve catalog from remote server: certificate verify failed [certificate revoked for CN=puppet.example.com]',
    ),
  ],
  'certificate verify failed [certificate is not yet valid for CN=puppet.example.com]': [
    logged(
      'Could not retrieve catalog from remote server: certificate verify failed [certificate is not yet valid for CN=puppet.example.com]',
    ),
  ],
  "The certificate 'CN=‹node›' has expired, verify time is synchronized": [
    logged("The certificate 'CN=web-1.example.com' has expired, verify time is synchronized"),
    loggedOn(
      'db-1.example.com',
      "The certificate 'CN=db-1.example.com' has expired, verify time is synchronized",
    ),
  ],
  "The CRL issued by 'CN=Puppet CA: puppet.example.com' has expired, verify time is synchronized": [
    logged(
      "The CRL issued by 'CN=Puppet CA: puppet.example.com' has expired, verify time is synchronized",
    ),
  ],
  "Could not request certificate: The certificate retrieved from the master does not match the agent's private key. Did you forget to run as root?":
    [
      logged(
        "Could not request certificate: The certificate retrieved from the master does not match the agent's private key. Did you forget to run as root?",
        'Certificate fingerprint: 93:A2:5D:01',
        'To fix this, remove the certificate from both the master and the agent and then start a puppet run, which will automatically regenerate a certificate.',
      ),
    ],
  'Forbidden request: /puppet/v3/catalog/‹node› (method :get). Please see the server logs for details.':
    [
      logged(
        'Could not retrieve catalog from remote server: Error 403 on SERVER: Forbidden request: /puppet/v3/catalog/web-1.example.com (method :get). Please see the server logs for details.',
      ),
      loggedOn(
        'db-1.example.com',
        'Could not retrieve catalog from remote server: Error 403 on SERVER: Forbidden request: /puppet/v3/catalog/db-1.example.com (method :get). Please see the server logs for details.',
      ),
    ],
  'Connection reset by peer - SSL_connect': [
    logged('Could not retrieve catalog from remote server: Connection reset by peer - SSL_connect'),
  ],
  'execution expired': [logged('Could not retrieve catalog from remote server: execution expired')],
  'Too Many Requests': [
    logged('Could not retrieve catalog from remote server: Error 429 on SERVER: Too Many Requests'),
  ],
  'Service Unavailable': [
    logged(
      'Could not retrieve catalog from remote server: Error 503 on SERVER: Service Unavailable',
    ),
  ],
}
