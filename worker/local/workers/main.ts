/** The Worker of a self-hosted service: the service and its helpers, one entrypoint each. */

export { ingress as default } from './ingress.ts'
export { admin } from './admin.ts'
export { assets } from './assets.ts'
export { probe } from './probe.ts'
export { ServiceObject as DatabaseObject } from './service-object.ts'
