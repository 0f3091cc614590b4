import { concat, silence, sine } from '../../src/audio/index.ts'
import { Agent, type SessionOptions } from '../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  type SimRandom,
} from '../../src/testing/index.ts'
import type { AnsweredBy, TwilioPersonOptions } from '../../src/testing/servers/index.ts'
import type { CarrierScene } from '../lines/carrier-scene.ts'

const MESSAGE = 'This is Bright Dental. Please call us back.'
const MS_PER_CHARACTER = 50

/** What became of a session that asks who answered, and leaves a message with a machine. */
interface Pickup {
  answered?: string
  message?: { readonly heard: boolean } | 'wanted'
}

/** By the id of their session. */
export type Pickups = Map<string, Pickup>

/** A session that asks who answered, and leaves a message with a machine. Its models hear when somebody speaks. */
export function messageSession(pickups: Pickups): Pick<SessionOptions, 'agent' | 'models'> {
  return {
    agent: new Agent({
      instructions: '',
      onEnter: async ({ session }) => {
        const pickup: Pickup = {}
        pickups.set(session.id, pickup)
        const { by, how } = await session.answeredBy()
        pickup.answered = `${by} by ${how}`
        if (by !== 'machine') return
        pickup.message = 'wanted'
        pickup.message = await session.leaveMessage(MESSAGE)
      },
    }),
    models: {
      llm: new ScriptedLlm({ answers: Array.from({ length: 20 }, () => 'Yes?') }),
      stt: new ScriptedStt(),
      vad: new ScriptedVad(),
      tts: new ScriptedTts({ msPerCharacter: MS_PER_CHARACTER }),
    },
  }
}

/** Somebody who answers: a person, or a machine whose detection goes wrong in ways that the seed chooses. */
export function answererOf(random: SimRandom, story: string[]): TwilioPersonOptions {
  const verdicts: readonly AnsweredBy[] = [
    'human',
    'machine_end_beep',
    'machine_end_silence',
    'machine_end_other',
    'fax',
    'unknown',
  ]
  const ms = random.pick([500, 2_000, 4_000, 9_000])
  const greeting = concat([silence(200, 8_000), sine(200, { sampleRate: 8_000, duration: ms })], 8_000)
  const machine = random.chance(0.7) ? { greeting, beep: random.chance(0.7) } : undefined
  const detection = {
    ...(random.chance(0.3) ? { verdict: random.pick(verdicts) } : {}),
    ...(random.chance(0.3) ? { after: random.pick([0, 1_000, 8_000, 25_000, 'never'] as const) } : {}),
    evenIfOver: random.chance(0.3),
  }
  const answersAfter = random.pick([0, 1_000, 4_000])
  const who = machine ? `machine, ${ms} ms${machine.beep ? ', beep' : ''}` : 'person'
  story.push(`${who}, answers after ${answersAfter} ms, ${JSON.stringify(detection)}`)
  return { answersAfter, detection, ...(machine ? { machine } : {}) }
}

/** What is wrong with what the sessions have found out and left. Empty if nothing is. */
export function pickupProblems(pickups: Pickups, scene: Pick<CarrierScene, 'reports' | 'carrier'>): string[] {
  return [...pickups].flatMap(([id, pickup]) => problemsOf(id, pickup, scene))
}

function problemsOf(
  id: string,
  { answered, message }: Pickup,
  { reports, carrier }: Pick<CarrierScene, 'reports' | 'carrier'>,
): string[] {
  const report = reports.find((each) => each.id === id)
  if (!report) return ['a session has no report']
  const { by, how } = report.answered ?? {}
  const problems: string[] = []
  if (answered !== `${by} by ${how}`)
    problems.push(`${String(answered)} answered, but the report says ${by} by ${how}`)
  if (message === 'wanted') problems.push('the message has no outcome')
  const reported = report.messages?.[0]
  if (typeof message === 'object' && reported?.heard !== message.heard)
    problems.push('the report says otherwise about the message')
  const heard = carrier.calls.find(({ sid }) => sid === id)?.heardBytes ?? 0
  // Eight bytes of mu-law per millisecond.
  const length = MESSAGE.length * MS_PER_CHARACTER * 8
  if (reported?.heard && heard < length * 0.95)
    problems.push(`the message counts as heard, but only ${heard} of ${length} bytes were`)
  return problems
}
