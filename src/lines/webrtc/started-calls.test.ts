import { expect, it } from 'vitest'
import { limits } from './limits.ts'
import { StartedCalls } from './started-calls.ts'

it('[WR3] the tokens of started calls are limited: the oldest is forgotten first', () => {
  const started = new StartedCalls()
  for (let n = 0; n <= limits.started; n++) started.add(`call ${n}`, `token ${n}`)
  expect(started.tokenOf('call 0')).toBeUndefined()
  expect(started.tokenOf('call 1')).toBe('token 1')
  expect(started.tokenOf(`call ${limits.started}`)).toBe(`token ${limits.started}`)
})
