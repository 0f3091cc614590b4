import type { CallLeg } from './twilio-leg.ts'
import type { TwilioPersonOptions } from './twilio-person.ts'

/** Milliseconds until a phone starts to ring. */
const SETUP = 100

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
    if (!leg.answered) leg.end({ by: 'carrier', state: 'no-answer', sip: 487 })
  })
  leg.after(setup + answersAfter, 'a person decides', () => decide(leg, outcome))
}

function decide(leg: CallLeg, outcome: NonNullable<TwilioPersonOptions['outcome']>): void {
  if (leg.answered) return
  switch (outcome) {
    case 'answers':
      return leg.answers()
    case 'busy':
      return leg.end({ by: 'person', state: 'busy', sip: 486 })
    case 'no-answer':
      return leg.end({ by: 'person', state: 'no-answer', sip: 480 })
    case 'rejects':
      return leg.end({ by: 'person', state: 'busy', sip: 603 })
    case 'fails':
      return leg.end({ by: 'carrier', state: 'failed', sip: 503 })
    case 'never':
  }
}
