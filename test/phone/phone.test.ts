import { noSttEvents } from '../../src/parts/index.ts'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Resampler, decodeWav } from '../../src/audio/index.ts'
import type { SessionDetails } from '../../src/host/index.ts'
import { LocalStt } from '../../src/providers/local/index.ts'
import { systemClock, systemRandom } from '../../src/scope/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { partContext } from '../../src/testing/index.ts'
import { runProgram } from '../cli/run-program.ts'
import { compiled } from '../compiled.ts'

/** How long to wait for a recogniser, in milliseconds. Only a hang takes this long. */
const PATIENCE = 60_000
const booking = 'test/fixtures/speech/phone/booking.wav'

/** The sentences of the agent, grouped by turn, spelled as a speech recogniser writes them. */
function saidBy({ transcript }: SessionReport): string[][] {
  const groups: string[][] = []
  let isAgent = false
  for (const item of transcript) {
    if (item.type !== 'message') continue
    if (item.role !== 'agent') isAgent = false
    else {
      if (!isAgent) groups.push([])
      isAgent = true
      groups.at(-1)!.push(...sentencesOf(item.text))
    }
  }
  return groups
}

const sentencesOf = (text: string): string[] =>
  text
    .replace('2:30 pm', 'two thirty p m')
    .toLowerCase()
    .split(/[.!?]/)
    .map((sentence) => sentence.replace(/[^a-z ]/g, '').trim())
    .filter((sentence) => sentence !== '')

/** Sentences that were not said. */
const decoys = [
  'i am sorry that is not possible',
  'we are open from eight to six monday to friday',
  'your appointment is cancelled',
  'you are booked for monday at three p m',
  'you are booked for friday at ten a m',
]

/** Transcribes a recording with a recogniser that knows these sentences, runs of them within a group, and decoys. */
async function transcribe(wav: Uint8Array, said: readonly (readonly string[])[]): Promise<string[]> {
  const context = partContext({ clock: systemClock, random: systemRandom })
  const texts: string[] = []
  const runs = said.flatMap((group) =>
    group.flatMap((_, from) =>
      group.slice(from).map((__, more) => group.slice(from, from + more + 1).join(' ')),
    ),
  )
  const stt = new LocalStt({ phrases: [...new Set([...runs, ...decoys])], maxDoubt: 3, timeout: PATIENCE })
  let settled = (): void => {}
  const stream = await stt.open(context, {
    ...noSttEvents,
    final: (text) => {
      texts.push(text)
      settled()
    },
    failed: (error) => {
      throw error
    },
  })
  const { channels } = decodeWav(wav)
  const samples = new Resampler({ from: 8000, to: 16_000 }).push(channels[0]!)
  for (let at = 0; at < samples.length; at += 320)
    stream.push({ samples: samples.subarray(at, at + 320), sampleRate: 16_000 })
  stream.flush()
  const whole = said.flat().join(' ').length
  await new Promise<void>((resolve) => {
    // If some of it is not recognised, the comparison below fails.
    const timer = systemClock.after(PATIENCE, 'the transcript', resolve)
    settled = () => {
      if (texts.join(' ').length < whole) return
      timer.clear()
      resolve()
    }
    settled()
  })
  await context.scope.close()
  return texts
}

describe('endwell phone', () => {
  it('calls the demo with a recording, and the demo answers, books, says goodbye and hangs up', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'phone-'))
    const out = join(folder, 'heard.wav')
    const demo = runProgram(['dev', compiled('clinic-agent'), '--json', '--port', '0'])
    const url = await demo.url()
    // A patient caller: on a busy machine, the agent may pause for a while in the middle of an answer.
    const caller = runProgram(['phone', booking, '--url', url, '--out', out, '--quiet', '5000', '--json'])
    expect(await caller.ended(), caller.errors).toBe(0)
    const { call, ...summary } = caller.lines.at(-1)!
    expect(summary).toMatchObject({
      answered: true,
      endedBy: 'application',
      report: `${url}/#/sessions/${String(call)}`,
      reason: 'agent-hung-up',
      clean: true,
    })
    const { report } = (await (await fetch(`${url}/api/sessions/${String(call)}`)).json()) as SessionDetails
    expect(report!.transcript.filter((item) => item.type === 'tool')).toMatchObject([
      { name: 'book', input: '{"day":"Friday","time":"2:30 pm"}', result: { failed: false } },
      { name: 'goodbye' },
    ])
    const said = saidBy(report!)
    expect(said.flat()).toEqual(expect.arrayContaining([expect.stringContaining('friday at two thirty p m')]))
    expect((await transcribe(await readFile(out), said)).join(' ')).toBe(said.flat().join(' '))
    demo.signal('SIGTERM')
    expect(await demo.ended()).toBe(0)
    await rm(folder, { recursive: true })
  })

  it('[TM2] serves an agent for one call, says sentences, and checks the answers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'phone-'))
    const args = ['--agent', compiled('clock-agent'), '--out', join(folder, 'heard.wav')]
    const words = ['--say', 'What time is it?', '--say', 'Goodbye.', '--expect', '/It is \\d+:\\d\\d [AP]M/']
    const program = runProgram(['phone', ...args, ...words, '--quiet', '1000', '--json'])
    expect(await program.ended(), program.out + program.errors).toBe(0)
    expect(program.lines.at(-1)).toMatchObject({ ok: true, reason: 'agent-hung-up', clean: true })
    await rm(folder, { recursive: true })
  })

  it('fails if nothing answers at the URL, or without a recording', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'phone-'))
    const out = join(folder, 'heard.wav')
    const unanswered = runProgram(['phone', booking, '--url', 'http://127.0.0.1:9', '--out', out])
    const incomplete = runProgram(['phone'])
    expect(await unanswered.ended()).toBe(1)
    expect(unanswered.out).toContain('No answer at http://127.0.0.1:9')
    expect(await incomplete.ended()).toBe(2)
    expect(incomplete.errors).toContain('Missing FILE.wav')
    await rm(folder, { recursive: true })
  })
})
