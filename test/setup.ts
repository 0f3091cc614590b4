import { afterEach } from 'vitest'
import { noLeaks } from '../src/testing/index.ts'

// SI3: in every suite, after every test, nothing is left alive.
afterEach(noLeaks())
