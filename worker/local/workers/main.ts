/** The Worker that runs on a server of one's own: the service with what stands around it there, an entrypoint each. */

export { ingress as default } from './ingress.ts'
export { admin } from './admin.ts'
export { assets } from './assets.ts'
export { probe } from './probe.ts'
export { DatabaseObject } from './database.ts'
