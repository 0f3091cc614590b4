import { writeFile } from 'node:fs/promises'
import { concat, type AudioFrame } from '../../src/audio/index.ts'
import type { SessionDetails } from '../../src/host/index.ts'
import { LocalTts } from '../../src/providers/local/index.ts'
import { systemClock, systemRandom } from '../../src/scope/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { partContext } from '../../src/testing/index.ts'
import { TwilioCarrier, type TwilioCall } from '../../src/testing/servers/index.ts'
import { freePort } from '../free-port.ts'
import { Program } from '../program.ts'

const OURS = '+15550100'
const PATIENT = '+4930111'
const MACHINE = '+4930222'
const COLLEAGUE = '+15550123'
/** Milliseconds of silence after which the agent has finished speaking. */
const QUIET = 1_500

export interface TourOptions {
  /** Called with each line of the story. */
  readonly tell: (line: string) => void
  /** Where to write what the answering machine has recorded. */
  readonly out: string
}

/** How the calls of the tour ended. */
export interface Tour {
  /** A person was called, and has confirmed. */
  readonly person: SessionReport | undefined
  /** A machine answered, and has a message. */
  readonly machine: SessionReport | undefined
  /** A caller was handed over to a colleague: the report has both legs. */
  readonly caller: SessionReport | undefined
  /** What rings or talks at the carrier after the end. */
  readonly ringsOn: number
  /** Of the demo: 0 if every session closed cleanly. */
  readonly code: number
}

/** Has the demo call a person and a machine, and hand a caller over, with a carrier on this machine. */
export async function takeTour({ tell, out }: TourOptions): Promise<Tour> {
  await using carrier = await TwilioCarrier.listen({ numbers: [OURS] })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const demo = Program.command(
    ['dev', 'examples/clinic/agent.ts', '--model', 'local', '--json', '--port', String(port)],
    {
      env: {
        TWILIO_AUTH_TOKEN: carrier.authToken,
        TWILIO_ACCOUNT_SID: carrier.accountSid,
        TWILIO_API_URL: carrier.url,
        PUBLIC_URL: url,
        CLINIC_DESK: COLLEAGUE,
      },
    },
  )
  try {
    const voice = await speaker()
    await demo.url()

    tell(`The clinic calls a patient at ${PATIENT}`)
    carrier.person(PATIENT, {
      onCall: (call) => void talk(call, [voice['hello']!, voice['i will be there']!], true),
    })
    const person = await callOut(url, PATIENT)
    tell(`  ${endOf(person)}`)

    tell(`It calls ${MACHINE}, where a machine answers`)
    const box = carrier.person(MACHINE, {
      machine: { greeting: voice['we can not take your call please speak after the tone']! },
    })
    const machine = await callOut(url, MACHINE)
    const [recorded] = box.calls
    if (recorded) await writeFile(out, recorded.heardWav)
    const [message] = machine?.messages ?? []
    tell(`  ${endOf(machine)}; the message was ${message?.heard ? 'heard' : 'not heard'}, and is in ${out}`)

    tell(`A patient calls, and is handed over to the colleague at ${COLLEAGUE}`)
    carrier.person(COLLEAGUE, { onCall: (call) => void talk(call, [voice['yes i will take the call']!]) })
    const call = carrier.call(`${url}/phone/answer`, { to: OURS })
    await talk(call, [voice['i would like to speak to a person']!])
    const caller = await reportOf(url, call.sid)
    tell(`  ${endOf(caller)}; they are connected`)
    call.hangUp()
    await carrier.until(() => carrier.live.length === 0)

    demo.signal('SIGTERM')
    return { person, machine, caller, ringsOn: carrier.live.length, code: await demo.ended() }
  } finally {
    demo.signal('SIGKILL')
  }
}

/** Says each sentence when the agent has finished. A patient who is called speaks first. */
async function talk(call: TwilioCall, sentences: readonly AudioFrame[], speaksFirst = false): Promise<void> {
  await call.until(() => call.over || call.state === 'in-progress')
  for (const [index, sentence] of sentences.entries()) {
    if (index > 0 || !speaksFirst) await call.listens(QUIET)
    await call.says(sentence)
  }
}

/** Has the demo call a number, as a user would. Returns the report of the call. */
async function callOut(url: string, number: string): Promise<SessionReport | undefined> {
  const program = Program.command(['call', number, '--from', OURS, '--url', url, '--json'])
  await program.ended()
  const line = program.lines.find((each) => 'report' in each) as { report: SessionReport | null } | undefined
  return line?.report ?? undefined
}

async function reportOf(url: string, id: string): Promise<SessionReport | undefined> {
  // The stream of events ends when the session has closed.
  await (await fetch(`${url}/api/sessions/${id}/events`)).text()
  return ((await (await fetch(`${url}/api/sessions/${id}`)).json()) as SessionDetails).report
}

function endOf(report: SessionReport | undefined): string {
  return report ? `${report.reason}, ${report.clean ? 'clean' : 'not clean'}` : 'no report'
}

const sentences = [
  'hello',
  'i will be there',
  'we can not take your call please speak after the tone',
  'i would like to speak to a person',
  'yes i will take the call',
]

/** The recordings of the people, made with the local voice. */
async function speaker(): Promise<Readonly<Record<string, AudioFrame>>> {
  const context = partContext({ clock: systemClock, random: systemRandom })
  const { scope } = context
  try {
    const voice = await new LocalTts().open(context)
    const made: [string, AudioFrame][] = []
    for (const text of sentences) {
      const frames: AudioFrame[] = []
      for await (const { frame } of voice.speak(once(text), scope.signal)) frames.push(frame)
      made.push([text, concat(frames, frames[0]!.sampleRate)])
    }
    return Object.fromEntries(made)
  } finally {
    await scope.close()
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}
