import { describe, expect, it, vi } from 'vitest'
import { LocalStt, LocalTts, SileroVad, SmartTurn } from './index.ts'

vi.mock('node:module', () => ({
  createRequire: () => ({
    resolve: (name: string) => {
      throw new Error(`Cannot find module '${name}'`)
    },
  }),
}))

describe('without the optional packages', () => {
  it('[HO11] the local STT names the package it needs when it is constructed', () => {
    expect(() => new LocalStt({ phrases: ['hello'] })).toThrow(
      expect.objectContaining({
        code: 'ENGINE_MISSING',
        message: expect.stringContaining('npm install soundswallower'),
      }),
    )
  })

  it('[HO11] the Silero VAD names the package it needs when it is constructed', () => {
    expect(() => new SileroVad({ model: 'package.json' })).toThrow(
      expect.objectContaining({
        code: 'ENGINE_MISSING',
        message: expect.stringContaining('npm install onnxruntime-web'),
      }),
    )
  })

  it('[HO11] the Smart Turn detector names the package it needs when it is constructed', () => {
    expect(() => new SmartTurn({ model: 'package.json' })).toThrow(
      expect.objectContaining({
        code: 'ENGINE_MISSING',
        message: expect.stringContaining('npm install onnxruntime-web'),
      }),
    )
  })

  it('[HO11] the local TTS names the three engines to choose from when it is constructed', () => {
    for (const engine of [undefined, 'espeak-wasm'] as const) {
      expect(() => new LocalTts(engine ? { engine } : {})).toThrow(
        expect.objectContaining({
          code: 'ENGINE_MISSING',
          message: expect.stringContaining('npm install @echogarden/espeak-ng-emscripten'),
        }),
      )
    }
    expect(() => new LocalTts()).toThrow(/flite or espeak-ng/)
  })
})
