import { describe, expect, it, vi } from 'vitest'
import { startSound } from './sound-program.ts'

/** Starts a program of Node. Resolves when it has written something, or has ended. */
async function start(program: string, args: readonly string[]) {
  let written = ''
  const ends: string[] = []
  const { promise, resolve } = resolvable()
  const sound = startSound(
    { program, args },
    {
      data: (bytes) => {
        written += String(Buffer.from(bytes))
        resolve()
      },
      ended: (how) => {
        ends.push(how)
        resolve()
      },
    },
  )
  await promise
  return { sound, written, ends }
}

function resolvable(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((resolved) => (resolve = resolved))
  return { promise, resolve }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const node = (text: string) => start(process.execPath, ['-e', text])

describe('a program for sound', () => {
  it('[TM3] is killed at the end of the call, even if it ignores signals and does not read', async () => {
    const rude = `process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); setInterval(() => {}, 1e6); process.stdout.write(String(process.pid))`
    const { sound, written, ends } = await node(rude)
    expect(isAlive(Number(written))).toBe(true)
    // More than a pipe takes.
    sound.write(new Uint8Array(1_000_000))
    expect(sound.unread).toBeGreaterThan(0)
    await sound.close(new AbortController().signal)
    expect(isAlive(Number(written))).toBe(false)
    sound.abort()
    sound.write(new Uint8Array(2))
    expect(ends).toEqual([])
  })

  it('[TM3] that fails is reported with its last line, even if a child of it keeps its output open', async () => {
    const failing = `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'inherit' })
      console.error('ALSA lib: something'); console.error('audio open error: No such device'); process.exit(1)`
    const { ends } = await node(failing)
    expect(ends).toEqual([`${process.execPath} ended with exit code 1: audio open error: No such device`])
  })

  it('[TM3] is killed with the programs that it has started', async () => {
    const starting = `const { pid } = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])
      process.stdout.write(String(pid)); setInterval(() => {}, 1e6)`
    const { sound, written } = await node(starting)
    expect(isAlive(Number(written))).toBe(true)
    await sound.close(new AbortController().signal)
    await vi.waitUntil(() => !isAlive(Number(written)), 10_000)
  })

  it('[TM3] that does not exist is reported', async () => {
    const { sound, ends } = await start('/nowhere/arecord', [])
    expect(ends).toEqual([expect.stringMatching(/^\/nowhere\/arecord could not be started: .*ENOENT/)])
    await sound.close(new AbortController().signal)
  })
})
