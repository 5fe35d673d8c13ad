import { afterAll } from 'vitest'
import { cleanUp } from './launch.js'

// Test files share their modules, so each has to do this for itself.
afterAll(cleanUp)
