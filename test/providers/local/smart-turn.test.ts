import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SmartTurn } from '../../../src/providers/local/index.ts'
import { featuresOf } from '../../../src/providers/local/smart-turn-features.ts'
import { systemClock, systemRandom } from '../../../src/scope/index.ts'
import { partContext } from '../../../src/testing/index.ts'
import { meanModel } from '../../fixtures/onnx.ts'
import { clip, framesOf } from '../../fixtures/speech.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'smart-turn-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function modelFile(name: string, options?: Parameters<typeof meanModel>[0]): string {
  const file = join(folder, `${name}.onnx`)
  writeFileSync(file, meanModel(options))
  return file
}

const context = () => partContext({ clock: systemClock, random: systemRandom })
const live = new AbortController().signal
const { samples } = clip('what are your opening hours')

describe('the Smart Turn detector', () => {
  it('returns what its model says about the sound of the turn', async () => {
    const { scope, ...rest } = context()
    const judge = await new SmartTurn({ model: modelFile('mean') }).open({ scope, ...rest })
    const sound = framesOf(samples)
    const features = featuresOf(samples)
    const mean = features.reduce((sum, value) => sum + value, 0) / features.length
    expect(await judge.finished({ text: '', sound }, live)).toBeCloseTo(1 / (1 + Math.exp(-mean)), 4)
    // The frames are still the caller's.
    expect(sound[0]!.samples.length).toBeGreaterThan(0)
    const silent = await judge.finished({ text: '', sound: [] }, live)
    expect(silent).toBeCloseTo(1 / (1 + Math.exp(1.5)), 4)
    await scope.close()
  })

  it('leaves a question that is not wanted any more, and answers the next', async () => {
    const part = context()
    const judge = await new SmartTurn({ model: modelFile('mean') }).open(part)
    const asking = new AbortController()
    const asked = judge.finished({ text: '', sound: framesOf(samples) }, asking.signal)
    asking.abort(new Error('the user goes on'))
    await expect(asked).rejects.toThrow('the user goes on')
    expect(await judge.finished({ text: '', sound: [] }, live)).toBeGreaterThan(0)
    await part.scope.close()
  })

  it('settles a question when its call is aborted', async () => {
    const part = context()
    const judge = await new SmartTurn({ model: modelFile('mean') }).open(part)
    const asked = judge.finished({ text: '', sound: framesOf(samples) }, live)
    part.scope.abort()
    await expect(asked).rejects.toThrow()
  })

  it.each([
    ['inputs of another model', { input: 'waveform' }, /waveform; Smart Turn v3 has input_features/],
    ['another shape', { shape: [1, 64, 800] }, /is not a Smart Turn model/],
    ['results that are not probabilities', { operators: ['ReduceMean'] }, /returned -1\.5/],
  ])('cannot be opened with a model that has %s', async (name, options, message) => {
    const part = context()
    const opening = new SmartTurn({ model: modelFile(name, options) }).open(part)
    await expect(opening).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      message: expect.stringMatching(message),
    })
    await part.scope.close()
  })

  it('cannot be opened with a file that is not a model', async () => {
    const part = context()
    const opening = new SmartTurn({ model: fileURLToPath(import.meta.url) }).open(part)
    await expect(opening).rejects.toMatchObject({ code: 'ENGINE_FAILED' })
    await part.scope.close()
  })

  it('refuses a file that does not exist, and unknown options', () => {
    expect(() => new SmartTurn({ model: 'nowhere.onnx' })).toThrow('there is no model file nowhere.onnx')
    expect(() => new SmartTurn({ model: modelFile('mean'), treshold: 1 } as never)).toThrow('treshold')
  })
})
