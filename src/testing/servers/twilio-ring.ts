import type { CallLeg } from './twilio-leg.ts'
import type { TwilioPersonOptions } from './twilio-person.ts'

/** Milliseconds until a phone starts to ring. */
const SETUP = 100

type Outcome = NonNullable<TwilioPersonOptions['outcome']>

/** The SIP status of each outcome. */
export const SIP: Readonly<Record<Outcome, number>> = {
  answers: 200,
  busy: 486,
  'no-answer': 480,
  rejects: 603,
  fails: 503,
  never: 487,
}

const STATES = { busy: 'busy', 'no-answer': 'no-answer', rejects: 'busy', fails: 'failed' } as const

export interface RingPlan {
  /** Milliseconds until the carrier gets to the call. */
  readonly queued: number
  /** How long it rings, in milliseconds. */
  readonly timeout: number
  /** Undefined if nobody has the number. */
  readonly person: TwilioPersonOptions | undefined
  /** Called when the phone starts to ring. */
  readonly ringing: () => void
}

/** Rings a person: the leg starts to ring, and then answers or ends as the person's options say. */
export function ringPerson(leg: CallLeg, { queued, timeout, person, ringing }: RingPlan): void {
  leg.after(queued, 'the carrier calls', () => leg.initiates())
  const setup = queued + SETUP
  if (!person) {
    leg.after(setup, 'the number is unknown', () => leg.end({ by: 'carrier', state: 'failed', sip: 404 }))
    return
  }
  const { outcome = 'answers', answersAfter = 1_000 } = person
  if (outcome !== 'busy' && outcome !== 'fails')
    leg.after(setup, 'a phone rings', () => {
      leg.rings()
      if (!leg.over) ringing()
    })
  leg.after(setup + timeout, 'nobody answers', () => {
    if (!leg.answered) leg.end({ by: 'carrier', state: 'no-answer', sip: SIP.never })
  })
  leg.after(setup + answersAfter, 'a person decides', () => decide(leg, outcome))
}

function decide(leg: CallLeg, outcome: Outcome): void {
  if (leg.answered || outcome === 'never') return
  if (outcome === 'answers') return leg.answers()
  const by = outcome === 'fails' ? 'carrier' : 'person'
  leg.end({ by, state: STATES[outcome], sip: SIP[outcome] })
}
