import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeWav, encodeWav } from '../../src/audio/index.ts'
import { Recordings } from '../../src/host/recordings.ts'
import { rangeOf } from '../../src/host/recordings-api.ts'
import { emitted, Stage } from './stage.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-recordings-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A second of sound: the caller speaks in its first half, the agent in its second. */
const sound = (): Uint8Array => {
  const half = (first: number, second: number): Int16Array =>
    Int16Array.from({ length: 8_000 }, (_, at) => (at < 4_000 ? first : second))
  return encodeWav([half(16_384, 0), half(0, -32_768)], 8_000)
}

/** A host with a closed call, whose report names this place. */
async function withRecording(place: string, secret?: string): Promise<Stage> {
  const stage = await Stage.open({ recordings: folder, ...(secret === undefined ? {} : { secret }) })
  const recording = { place, write() {}, close() {}, abort() {} }
  const { session } = stage.call({ id: 'one', recording })
  await session.start()
  await session.close()
  return stage
}

describe('the recording of a call over HTTP', () => {
  it('[ST4] is what the session recorded, as a whole or in part', async () => {
    await using stage = await Stage.open({ recordings: folder })
    const { session, caller } = stage.call({
      id: 'spoken',
      answers: ['At eight.'],
      msPerCharacter: 5,
      recording: new Recordings(folder).sink('spoken', 1),
    })
    await session.start()
    const spoken = emitted(session, 'spoken')
    caller.types('When do you open?')
    await spoken
    await session.close()
    const path = '/api/sessions/spoken/recordings/0'
    const all = await stage.fetch(path)
    const bytes = new Uint8Array(await all.arrayBuffer())
    expect([all.status, all.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    expect(all.headers.get('cache-control')).toBe('no-store')
    expect(decodeWav(bytes).channels).toHaveLength(2)
    const some = await stage.fetch(path, { headers: { range: 'bytes=4-11' } })
    expect([some.status, some.headers.get('content-range')]).toEqual([206, `bytes 4-11/${bytes.length}`])
    expect(new Uint8Array(await some.arrayBuffer())).toEqual(bytes.slice(4, 12))
    const beyond = await stage.fetch(path, { headers: { range: `bytes=${bytes.length}-` } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
    const head = await stage.fetch(path, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  })

  it('has peaks for a waveform of both channels', async () => {
    writeFileSync(join(folder, 'loud.wav'), sound())
    await using stage = await withRecording(join(folder, 'loud.wav'))
    const answer = await stage.fetch('/api/sessions/one/recordings/0/peaks')
    const { duration, caller, agent } = (await answer.json()) as {
      duration: number
      caller: number[]
      agent: number[]
    }
    expect([duration, caller.length, agent.length]).toEqual([1_000, 100, 100])
    expect([caller[0], caller.at(-1), agent[0], agent.at(-1)]).toEqual([50, 0, 0, 100])
  })

  it.each([
    ['outside the folder', () => join(tmpdir(), 'other.wav')],
    ['above the folder by a detour', () => join(folder, 'sub', '..', '..', 'other.wav')],
    ['below the folder', () => join(folder, 'sub', 'deep.wav')],
    ['of another type', () => join(folder, 'notes.txt')],
    ['behind a symbolic link', () => join(folder, 'link.wav')],
    ['that is a folder', () => join(folder, 'folder.wav')],
    ['that does not exist', () => join(folder, 'nothing.wav')],
    ['that is an address', () => 'https://example.com/one.wav'],
  ])('[ST4] is not served from a place %s', async (_, place) => {
    mkdirSync(join(folder, 'sub'), { recursive: true })
    mkdirSync(join(folder, 'folder.wav'), { recursive: true })
    for (const path of [join(folder, 'sub', 'deep.wav'), join(folder, 'notes.txt')])
      writeFileSync(path, sound())
    if (!existsSync(join(folder, 'link.wav')))
      symlinkSync(join(folder, 'notes.txt'), join(folder, 'link.wav'))
    await using stage = await withRecording(place())
    expect((await stage.fetch('/api/sessions/one/recordings/0/peaks')).status).toBe(204)
    for (const path of ['0', '1', '1/peaks', '-1', '%2e%2e', 'x']) {
      const answer = await stage.fetch(`/api/sessions/one/recordings/${path}`)
      expect(answer.status).toBe(404)
    }
  })

  it('[ST4] needs the secret of the host', async () => {
    writeFileSync(join(folder, 'secret.wav'), sound())
    await using stage = await withRecording(join(folder, 'secret.wav'), 'correct horse battery staple')
    const path = '/api/sessions/one/recordings/0'
    expect((await stage.fetch(path)).status).toBe(401)
    const authorization = 'Bearer correct horse battery staple'
    expect((await stage.fetch(path, { headers: { authorization } })).status).toBe(200)
  })

  it('can be read by a limited number of clients at once', async () => {
    writeFileSync(join(folder, 'long.wav'), encodeWav([new Int16Array(4_000_000), new Int16Array(0)], 8_000))
    await using stage = await withRecording(join(folder, 'long.wav'))
    const path = '/api/sessions/one/recordings/0'
    const readers = await Promise.all(Array.from({ length: 21 }, () => stage.fetch(path)))
    const refused = readers.filter(({ status }) => status === 503)
    expect(refused).toHaveLength(1)
    expect(readers.filter(({ status }) => status === 200)).toHaveLength(20)
    for (const { body } of readers) await body?.cancel()
    await expect.poll(async () => (await stage.fetch(path, { method: 'HEAD' })).status).toBe(200)
  })
})

describe('a folder of recordings', () => {
  it('has a safe name for every call', () => {
    const recordings = new Recordings(folder)
    expect(recordings.sink('CA0815', 1).place).toBe(join(folder, 'CA0815.wav'))
    expect(recordings.sink('CA0815', 2).place).toBe(join(folder, 'CA0815-2.wav'))
    const rude = recordings.sink('../../etc/passwd', 1).place!
    expect(rude).toMatch(/\/[0-9a-f]{64}\.wav$/)
    expect(rude.startsWith(folder)).toBe(true)
  })

  it('deletes recordings that are too old', async () => {
    const old = mkdtempSync(join(folder, 'old-'))
    const age = (name: string, seconds: number): void => {
      writeFileSync(join(old, name), sound())
      utimesSync(join(old, name), seconds, seconds)
    }
    age('old.wav', 1_000)
    age('new.wav', 3_000)
    age('old.txt', 1_000)
    expect(await new Recordings(old).prune(2_000_000)).toBe(1)
    expect(['old.wav', 'new.wav', 'old.txt'].map((name) => existsSync(join(old, name)))).toEqual([
      false,
      true,
      true,
    ])
    expect(await new Recordings(join(old, 'missing')).prune(2_000_000)).toBe(0)
  })
})

describe('the range of a request', () => {
  it.each([
    [undefined, undefined],
    ['bytes=0-9', { from: 0, until: 10 }],
    ['bytes=90-', { from: 90, until: 100 }],
    ['bytes=-10', { from: 90, until: 100 }],
    ['bytes=-1000', { from: 0, until: 100 }],
    ['bytes=50-1000', { from: 50, until: 100 }],
    ['bytes=100-', 'invalid'],
    ['bytes=9-1', 'invalid'],
    ['bytes=0-1,5-6', undefined],
    ['bytes=-', undefined],
    ['lines=1-2', undefined],
  ])('of %s', (header, wanted) => {
    expect(rangeOf(header, 100)).toEqual(wanted)
  })
})
