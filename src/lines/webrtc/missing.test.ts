import { describe, expect, it, vi } from 'vitest'
import { Scope } from '../../scope/index.ts'
import { checkWebRtc } from '../webrtc-options.ts'
import { WebRtcCalls } from './index.ts'

vi.mock('node:module', () => ({
  createRequire: () => ({
    resolve: (name: string) => {
      throw new Error(`Cannot find module '${name}'`)
    },
  }),
}))

const missing = expect.objectContaining({
  code: 'ENGINE_MISSING',
  message: expect.stringContaining('npm install werift opusscript'),
}) as Error

describe('WebRTC without its optional packages', () => {
  it('[WR7] names them when the calls are made', async () => {
    const scope = new Scope<string>('calls')
    expect(() => new WebRtcCalls({ scope, onCall: () => {} })).toThrow(missing)
    await scope.close()
  })

  it('[WR7] [HO11] names them when an agent file is checked', () => {
    expect(() => checkWebRtc({})).toThrow(missing)
  })
})
