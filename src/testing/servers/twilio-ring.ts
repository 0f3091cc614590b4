import type { CallLeg } from './twilio-leg.ts'
import type { TwilioPersonOptions } from './twilio-person.ts'

/** Milliseconds until a phone starts to ring. */
const SETUP = 100

export interface RingPlan {
  /** How long it rings, in milliseconds. */
  readonly timeout: number
  /** Undefined if nobody has the number. */
  readonly person: TwilioPersonOptions | undefined
  /** Called when the phone starts to ring. */
  readonly ringing: () => void
}

/** Rings a person: the leg starts to ring, and then answers or ends as the person's options say. */
export function ringPerson(leg: CallLeg, { timeout, person, ringing }: RingPlan): void {
  leg.after(0, 'the carrier calls', () => leg.initiates())
  if (!person) {
    leg.after(SETUP, 'the number is unknown', () => leg.end({ by: 'carrier', state: 'failed', sip: 404 }))
    return
  }
  const { outcome = 'answers', answersAfter = 1_000 } = person
  if (outcome !== 'busy' && outcome !== 'fails')
    leg.after(SETUP, 'a phone rings', () => {
      leg.rings()
      if (!leg.over) ringing()
    })
  leg.after(SETUP + timeout, 'nobody answers', () => {
    if (!leg.answered) leg.end({ by: 'carrier', state: 'no-answer', sip: 487 })
  })
  leg.after(SETUP + answersAfter, 'a person decides', () => decide(leg, outcome))
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
