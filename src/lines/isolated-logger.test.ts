import { expect, it } from 'vitest'
import { isolatedLogger } from './isolated-logger.ts'

it('[LN6] a logger that throws or rejects does not reach the code that logs', async () => {
  const lines: string[] = []
  const logger = isolatedLogger({
    debug: (_, message) => void lines.push(message),
    info: () => {
      throw new Error('no disk')
    },
    warn: () => Promise.reject(new Error('no network')) as unknown as void,
    error: (_, message) => void lines.push(message),
  })
  logger.debug({}, 'one')
  logger.info({}, 'two')
  logger.warn({}, 'three')
  logger.error({}, 'four')
  await Promise.resolve()
  expect(lines).toEqual(['one', 'four'])
})
