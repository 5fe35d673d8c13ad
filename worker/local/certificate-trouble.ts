/** What to do where a command does not trust the certificate of the service that it connects to. */

/** Codes of OpenSSL and Node for a chain that ends at an unknown authority. */
const UNTRUSTED: readonly string[] = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]

/** A sentence about an authority that this machine does not trust; null for every other error, or one whose cause is another. */
export function certificateTrouble(error: unknown): string | null {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { code } = one as NodeJS.ErrnoException
    if (code !== undefined && UNTRUSTED.includes(code))
      return `${one.message}. If Puppet's CA has signed the certificate, trust it: set NODE_EXTRA_CA_CERTS=/etc/puppetlabs/puppet/ssl/certs/ca.pem.`
  }
  return null
}
