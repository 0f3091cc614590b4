import { describe, expect, it } from 'vitest'
import type { LineConnection } from '../../parts/index.ts'
import type { ScopeReport } from '../../scope/index.ts'
import { inVirtualTime, partContext, type World } from '../../testing/index.ts'
import { MicrophoneLine } from './microphone-line.ts'
import type { SoundCommand } from './sound-commands.ts'
import type { SoundProgram, SoundProgramEvents } from './sound-program.ts'

const RATE = 16_000

/** A program that a test controls. */
class FakeProgram implements SoundProgram {
  readonly events: SoundProgramEvents
  /** Bytes that were written to it. */
  written = 0
  /** Whether it reads. */
  reads = true
  ended = false

  constructor(events: SoundProgramEvents) {
    this.events = events
  }

  get unread(): number {
    return this.reads ? 0 : this.written
  }

  write({ length }: Uint8Array): void {
    expect(this.ended).toBe(false)
    this.written += length
  }

  async close(): Promise<void> {
    this.abort()
  }

  abort(): void {
    this.ended = true
  }

  /** Records a sound of this many milliseconds. */
  records(ms: number, value = 1_000): void {
    const samples = new Int16Array((ms * RATE) / 1_000).fill(value)
    this.events.data(new Uint8Array(samples.buffer))
  }
}

interface Call {
  readonly world: World
  readonly recorder: FakeProgram
  readonly player: FakeProgram
  readonly opened: Promise<LineConnection>
  readonly line: MicrophoneLine
  /** What the session was told, in words. */
  readonly told: string[]
  /** The first sample of each frame. */
  readonly frames: number[]
  close(): Promise<ScopeReport>
}

/** A call by microphone, in virtual time. Its programs are ended with it. */
async function inCall(run: (call: Call) => Promise<void>, { halfDuplex = false } = {}): Promise<void> {
  await inVirtualTime(async (world) => {
    const programs: FakeProgram[] = []
    const command = (program: string): SoundCommand => ({ program, args: [] })
    const line = new MicrophoneLine({
      commands: { recorder: command('recorder'), player: command('player') },
      start: (_, events) => {
        const program = new FakeProgram(events)
        programs.push(program)
        return program
      },
      halfDuplex,
    })
    const context = partContext(world)
    const told: string[] = []
    const frames: number[] = []
    const opened = line.open(context, {
      frame: ({ samples }) => {
        expect(samples).toHaveLength(320)
        frames.push(samples[0]!)
      },
      marked: (id, heard, assumed) => told.push(`mark ${id} ${heard} ${assumed ? 'assumed' : ''}`.trim()),
      dtmf: () => {},
      text: () => {},
      hungUp: () => told.push('hung up'),
      lost: (error) => told.push(`lost: ${(error as Error).message}`),
      handedOver: () => {},
    })
    opened.catch(() => {})
    const [player, recorder] = programs as [FakeProgram, FakeProgram]
    await run({ world, recorder, player, opened, line, told, frames, close: () => context.scope.close() })
    expect(await context.scope.close()).toMatchObject({ clean: true })
    expect(programs.map(({ ended }) => ended)).toEqual([true, true])
  })
}

const speech = (ms: number) => ({ samples: new Int16Array((ms * RATE) / 1_000), sampleRate: RATE }) as const

describe('a line by microphone', () => {
  it('[TM3] hears what the recorder writes, however it is cut', () =>
    inCall(async ({ recorder, opened, frames }) => {
      const bytes = new Uint8Array(Int16Array.from({ length: 640 }, () => 7).buffer)
      for (const [from, to] of [
        [0, 1],
        [1, 639],
        [639, 1280],
      ] as const)
        recorder.events.data(bytes.subarray(from, to))
      await opened
      expect(frames).toEqual([7, 7])
    }))

  it('[TM3] plays in real time, and assumes that what was played has been heard', () =>
    inCall(async ({ world: { clock }, recorder, player, opened, told }) => {
      recorder.records(20)
      const { play, mark } = bound(await opened)
      play(speech(1_000))
      mark(1)
      expect(player.written).toBeLessThan(32_000 / 5)
      for (let ms = 0; ms < 1_100; ms += 20) {
        recorder.records(20)
        await clock.elapse(20)
      }
      expect(player.written).toBe(32_000)
      expect(told).toEqual(['mark 1 1000 assumed'])
    }))

  it('[TM3] forgets what was not played yet when the agent is interrupted', () =>
    inCall(async ({ world: { clock }, recorder, player, opened, told }) => {
      recorder.records(20)
      const { play, mark, clear } = bound(await opened)
      play(speech(1_000))
      mark(1)
      clear()
      await clock.elapse(1_000)
      expect(player.written).toBeLessThan(32_000 / 5)
      expect(told).toEqual([expect.stringMatching(/^mark 1 1\d\d assumed$/)])
    }))

  it('[TM3] hears nothing of the agent while it speaks, if the microphone hears the loudspeaker', () =>
    inCall(
      async ({ world: { clock }, recorder, opened, frames }) => {
        recorder.records(20)
        bound(await opened).play(speech(100))
        await clock.elapse(20)
        recorder.records(20)
        await clock.elapse(200)
        recorder.records(20)
        expect(frames).toEqual([1_000, 0, 1_000])
      },
      { halfDuplex: true },
    ))

  it('[TM3] is hung up once', () =>
    inCall(async ({ recorder, opened, line, told }) => {
      recorder.records(20)
      await opened
      line.hangUp()
      line.hangUp()
      recorder.events.ended('recorder ended with exit code 0')
      expect(told).toEqual(['hung up'])
    }))

  it.each<readonly [string, (call: Call) => unknown, string]>([
    [
      'ends before its first sound',
      ({ recorder }) => recorder.events.ended('arecord ended with exit code 1: no such device'),
      'the microphone failed: arecord ended with exit code 1: no such device',
    ],
    ['records nothing', ({ world }) => world.clock.elapse(5_100), 'recorder has recorded nothing for 5 s'],
    [
      'writes faster than a microphone',
      ({ recorder }) => recorder.records(2_100),
      'recorder writes sound faster than a microphone does',
    ],
  ])('[TM3] cannot be opened if the recorder %s', (_, act, message) =>
    inCall(async (call) => {
      await act(call)
      await expect(call.opened).rejects.toMatchObject({
        code: 'SOUND_PROGRAM_FAILED',
        message: expect.stringContaining(message),
      })
    }),
  )

  it.each<readonly [string, (call: Call, play: LineConnection['play']) => unknown, string]>([
    [
      'the recorder ends',
      ({ recorder }) => recorder.events.ended('rec ended with SIGSEGV'),
      'lost: the microphone failed: rec ended with SIGSEGV',
    ],
    [
      'the recorder hangs',
      ({ world }) => world.clock.elapse(5_100),
      'lost: recorder has recorded nothing for 5 s',
    ],
    [
      'the recorder floods it',
      ({ recorder }) => {
        for (let second = 0; second < 60; second++) recorder.records(1_000)
      },
      'lost: recorder writes sound faster than a microphone does',
    ],
    [
      'the player ends',
      ({ player }) => player.events.ended('aplay ended with exit code 1'),
      'lost: the loudspeaker failed: aplay ended with exit code 1',
    ],
    [
      'the player does not read',
      async ({ world: { clock }, player, recorder }, play) => {
        player.reads = false
        play(speech(5_000))
        for (let ms = 0; ms < 3_000; ms += 100) {
          recorder.records(100)
          await clock.elapse(100)
        }
      },
      'lost: player does not play what it gets',
    ],
  ])('[TM3] is lost, once, if %s', (_, act, message) =>
    inCall(async (call) => {
      call.recorder.records(20)
      await act(call, bound(await call.opened).play)
      expect(call.told).toEqual([message])
      const heard = call.frames.length
      call.recorder.records(20)
      expect(call.frames).toHaveLength(heard)
    }),
  )
})

function bound(connection: LineConnection): Pick<LineConnection, 'play' | 'mark' | 'clear'> {
  return {
    play: (frame) => connection.play(frame),
    mark: (id) => connection.mark(id),
    clear: () => connection.clear(),
  }
}
