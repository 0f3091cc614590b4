import { afterEach } from 'vitest'
// Not through the room's index: this file is loaded for every test file, and the index loads 190 modules.
import { noLeaks } from '../src/testing/no-leaks.ts'

// SI3: no test, in any suite, leaves anything alive.
afterEach(noLeaks())

// Tests create tens of thousands of errors, and vitest would record a hundred frames of each.
Error.stackTraceLimit = 20
