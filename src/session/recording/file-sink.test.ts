import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { decodeWav } from '../../audio/index.ts'
import { SimClock, drain } from '../../testing/index.ts'
import { fileSink } from './file-sink.ts'
import { Recorder } from './recorder.ts'

const system = vi.hoisted(() => {
  // The global test setup has already loaded modules with the real file system.
  vi.resetModules()
  return { calls: [] as string[] }
})

/** Records when a file operation begins and when it returns. */
vi.mock('node:fs', async (load) => {
  const real = await load<typeof import('node:fs')>()
  const watched = (name: 'open' | 'write' | 'close') => {
    return (...given: unknown[]): void => {
      const done = given.pop() as (...answer: unknown[]) => void
      system.calls.push(name)
      const call = real[name] as (...all: unknown[]) => void
      call(...given, (...answer: unknown[]) => {
        system.calls.push(`${name} returned`)
        done(...answer)
      })
    }
  }
  return { ...real, open: watched('open'), write: watched('write'), close: watched('close') }
})
beforeEach(() => {
  system.calls.length = 0
})

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endwell-'))
})
afterAll(() => rm(folder, { recursive: true }))

const live = new AbortController().signal
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)

describe('a file sink', () => {
  it('writes, patches and closes a file that only its owner may read', async () => {
    const path = join(folder, 'whole.bin')
    const sink = fileSink(path)
    await sink.write(bytes(1, 2, 3))
    await sink.write(bytes(4, 5))
    await sink.patch!(1, bytes(9))
    await sink.write(bytes(6))
    await sink.close(live)
    expect([...(await readFile(path))]).toEqual([1, 9, 3, 4, 5, 6])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('does not overwrite an existing file, except with `overwrite`', async () => {
    const path = join(folder, 'there.bin')
    await writeFile(path, 'precious')
    const sink = fileSink(path)
    await expect(sink.write(bytes(1))).rejects.toMatchObject({ code: 'EEXIST' })
    await rm(path)
    await expect(sink.patch!(0, bytes(1))).rejects.toMatchObject({ code: 'EEXIST' })
    await sink.close(live)
    sink.abort()

    await writeFile(path, 'precious')
    const overwriting = fileSink(path, { overwrite: true })
    await overwriting.write(bytes(1))
    await overwriting.close(live)
    expect([...(await readFile(path))]).toEqual([1])
  })

  it('creates no file before the first write', async () => {
    const path = join(folder, 'never.bin')
    await fileSink(path).close(live)
    fileSink(path).abort()
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('closes the file and rejects further writes when it is aborted', async () => {
    const path = join(folder, 'rest.bin')
    const sink = fileSink(path)
    await sink.write(bytes(1))
    sink.abort()
    sink.abort()
    await expect(sink.write(bytes(2))).rejects.toMatchObject({ code: 'RECORDING_FAILED' })
    await sink.close(live)
    expect([...(await readFile(path))]).toEqual([1])
  })

  it('closes the file as soon as it is open if it is aborted meanwhile', async () => {
    const path = join(folder, 'opening.bin')
    const sink = fileSink(path)
    const writing = sink.write(bytes(1, 2, 3))
    sink.abort()
    await expect(writing).rejects.toMatchObject({ code: 'RECORDING_FAILED' })
    expect(system.calls).toEqual(['open', 'open returned', 'close'])
    expect((await stat(path)).size).toBe(0)
  })

  it('closes the file after the pending write if it is aborted meanwhile', async () => {
    const path = join(folder, 'writing.bin')
    const sink = fileSink(path)
    await sink.write(bytes(1))
    const writing = sink.write(bytes(2, 3))
    // Enough microtasks for the write to begin. It returns in a later turn of the event loop.
    for (let ticks = 0; ticks < 5; ticks++) await Promise.resolve()
    sink.abort()
    expect(system.calls.at(-1)).toBe('write')
    await writing
    expect(system.calls.slice(-3)).toEqual(['write', 'write returned', 'close'])
    await expect(sink.write(bytes(4))).rejects.toMatchObject({ code: 'RECORDING_FAILED' })
    expect([...(await readFile(path))]).toEqual([1, 2, 3])
  })

  it('takes a recording that can be decoded', async () => {
    const path = join(folder, 'call.wav')
    const clock = new SimClock()
    const errors: unknown[] = []
    const recorder = new Recorder({
      sink: fileSink(path),
      clock,
      sampleRate: 8000,
      onError: (error) => errors.push(error),
    })
    for (let i = 0; i < 500; i++) {
      clock.jump(20)
      recorder.caller({ samples: new Int16Array(160).fill(5), sampleRate: 8000 })
      await drain()
    }
    await recorder.close(live)
    expect(errors).toEqual([])
    const { channels } = decodeWav(await readFile(path))
    expect(channels.map((channel) => channel.length)).toEqual([80_000, 80_000])
    expect(channels[0]!.every((sample) => sample === 5)).toBe(true)
  })
})
