/** Addresses of the console's pages, so that a model does not have to guess them. */

import type { ToolSource } from './tool.ts'

type Service = Pick<ToolSource, 'origin'>

export const nodeLink = ({ origin }: Service, certname: string): string =>
  `${origin}/console/nodes/${encodeURIComponent(certname)}`
export const reportLink = ({ origin }: Service, hash: string): string =>
  `${origin}/console/reports/${hash}`
export const causeLink = ({ origin }: Service, cause: string): string =>
  `${origin}/console/causes/${encodeURIComponent(cause)}`
export const diffLink = ({ origin }: Service, from: string, to: string): string =>
  `${origin}/console/diff/${from}..${to}`
export const queryLink = ({ origin }: Service, query: string): string =>
  `${origin}/console/query?${new URLSearchParams({ q: query }).toString()}`
