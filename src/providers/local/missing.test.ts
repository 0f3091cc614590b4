import { describe, expect, it, vi } from 'vitest'
import { systemClock, systemRandom } from '../../scope/index.ts'
import { partContext } from '../../testing/index.ts'
import { LocalStt, LocalTts } from './index.ts'

vi.mock('node:module', () => ({
  createRequire: () => ({
    resolve: (name: string) => {
      throw new Error(`Cannot find module '${name}'`)
    },
  }),
}))

const events = { interim() {}, final() {}, endOfTurn() {}, failed() {} }

describe('without the optional packages', () => {
  it('the local STT names the package it needs, and opens nothing', async () => {
    const context = partContext({ clock: systemClock, random: systemRandom })
    const opening = new LocalStt({ phrases: ['hello'] }).open(context, events)
    await expect(opening).rejects.toMatchObject({ code: 'ENGINE_MISSING' })
    await expect(opening).rejects.toThrow('npm install soundswallower')
    expect(context.scope.inspect().tree.owned).toEqual([])
    await context.scope.close()
  })

  it('the local TTS names the three engines to choose from', async () => {
    const context = partContext({ clock: systemClock, random: systemRandom })
    for (const engine of [undefined, 'espeak-wasm'] as const) {
      const opening = new LocalTts(engine ? { engine } : {}).open(context)
      await expect(opening).rejects.toMatchObject({ code: 'ENGINE_MISSING' })
      await expect(opening).rejects.toThrow('npm install @echogarden/espeak-ng-emscripten')
    }
    await expect(new LocalTts().open(context)).rejects.toThrow(/flite or espeak-ng/)
    await context.scope.close()
  })
})
