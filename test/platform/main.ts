/** The module that the tests' workerd runs: the Worker, and the object that stands in for D1 in `test/platform/`. */

export { default } from '../../worker/index.ts'
export { PlatformDatabase } from './database-object.ts'
