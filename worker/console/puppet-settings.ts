/** The lines of `puppet.conf` by which Puppet sends its reports to an address. */

/** @param token a token with the scope submit; null for none */
export function reportUrl({ protocol, host }: URL, token: string | null): string {
  return `${protocol}//${token === null ? '' : `any:${token}@`}${host}/reports`
}

/** The settings of a Puppet server. Over HTTPS it trusts public authorities too. */
export const serverSettings = (url: URL, token: string | null): string =>
  `[server]\nreports = store,http\nreporturl = ${reportUrl(url, token)}${
    url.protocol === 'https:' ? '\nreport_include_system_store = true' : ''
  }`

/** The settings of a Puppet server that presents its certificate, to a service with a certificate of Puppet's own authority. */
export const certificateSettings = (url: URL): string =>
  `[server]\nreports = store,http\nreporturl = ${reportUrl(url, null)}`
