import { expect, it } from 'vitest'
import config from '../../vitest.config.ts'

it('[SI3] the check for leaks is installed for the whole suite', () => {
  expect(config.test?.setupFiles).toEqual(['test/setup.ts'])
})
