/** What the endpoints of a part of the API have in common: who may call them, and where they are mounted. */

import { noteRefusedRequest } from './commands/refusal-log.ts'

/** Where endpoints are mounted: PuppetDB's clients look for its own ones below `/pdb`. */
export const ROOT = ['']
export const ROOT_AND_PDB = ['', '/pdb']

export const PART = {
  query: { scope: 'read', allowsRestricted: true, mounts: ROOT_AND_PDB },
  insight: { scope: 'read', allowsRestricted: true, mounts: ROOT },
  command: {
    scope: 'submit',
    allowsRestricted: true,
    mounts: ROOT_AND_PDB,
    noteRefused: noteRefusedRequest,
  },
  /** Restricted administrators change nothing that others share. */
  admin: { scope: 'admin', allowsRestricted: false, mounts: ROOT_AND_PDB },
  /** What all readers see, such as saved queries; restricted operators change nothing that others share. */
  operate: { scope: 'operate', allowsRestricted: false, mounts: ROOT },
  metrics: { scope: 'read', allowsRestricted: false, mounts: ROOT },
  meta: { scope: 'any', allowsRestricted: true, mounts: ROOT_AND_PDB },
  status: { scope: 'any', allowsRestricted: true, mounts: ROOT },
  /** Load balancers read it without credentials. It says in a word whether the service runs. */
  open: { scope: 'none', allowsRestricted: true, mounts: ROOT },
} as const
