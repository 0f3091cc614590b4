import { describe, expect, it } from 'vitest'

import { packagesLoadedWith } from './loading.ts'

describe('a program', () => {
  // Loading `ws` takes 40 ms, prom-client 40 and hono 20: more than all of endwell but its host.
  it('loads no package with endwell', () => {
    expect(packagesLoadedWith('src/index.ts')).toEqual([])
  })

  it('loads no package with what a command prints as its help', () => {
    expect(packagesLoadedWith('src/cli/endwell.ts')).toEqual([])
  })

  it('loads only `ws` with the lines', () => {
    expect(packagesLoadedWith('src/lines/twilio/index.ts')).toEqual(['ws'])
    expect(packagesLoadedWith('src/lines/websocket/index.ts')).toEqual(['ws'])
  })
})
