import { troubles, type CallParts } from '../troubles.ts'
import type { Conversation, Moment } from './conversation.ts'
import type { ServerTrouble } from './servers.ts'

/** A trouble around the agent that is not its fault. */
export interface HuntTrouble {
  readonly name: string
  readonly parts?: CallParts
  readonly servers?: ServerTrouble
}

/** One call of a hunt. */
export interface HuntCase {
  /** The number to replay it with. */
  readonly number: number
  readonly conversation: Conversation
  /** What happens at the moment: a name of `callEnds`, `interrupts`, or `finishes` for a call that runs to its end. */
  readonly act: string
  readonly moment?: Moment
  readonly trouble?: HuntTrouble
  /** Whether the after-call handlers of the agent file run as well. */
  readonly withHandlers?: boolean
}

/** The troubles of a hunt. Those of a realtime model are for agents that use one. */
export function huntTroubles(isRealtime: boolean): HuntTrouble[] {
  const servers: readonly ServerTrouble[] = [
    'never answer',
    'answer after 20 s',
    'break the connection',
    'answer with 500',
  ]
  const ofParts = Object.entries(troubles).filter(([, { parts }]) => {
    const ofLine = parts.line !== undefined
    return ofLine || (parts.realtime !== undefined) === isRealtime
  })
  return [
    ...ofParts.map(([name, { parts }]) => ({ name, parts })),
    ...servers.map((each) => ({ name: `servers ${each}`, servers: each })),
  ]
}

/** A case as it is shown, in plain JSON. */
export interface HuntCaseView {
  readonly number: number
  readonly conversation: string
  readonly act: string
  /** `120 ms after the tool 'book' begins`. Absent for a call that runs to its end. */
  readonly moment?: string
  readonly trouble?: string
  /** All of it in one line. */
  readonly description: string
}

export function viewOf(one: HuntCase): HuntCaseView {
  const { number, conversation, act, moment, trouble } = one
  return {
    number,
    conversation: conversation.name,
    act,
    ...(moment ? { moment: describeMoment(moment) } : {}),
    ...(trouble ? { trouble: trouble.name } : {}),
    description: describeCase(one),
  }
}

const acts: Readonly<Record<string, string>> = {
  'hangs-up': 'the caller hangs up',
  vanishes: 'the caller is cut off',
  close: 'the session is closed',
  hurry: 'the session is closed within 200 ms',
  twice: 'the session is closed twice',
  goodbye: 'the agent says goodbye',
  drain: 'the host drains',
  'model-fails': 'the model fails for good',
  interrupts: 'the caller interrupts',
  finishes: 'the call runs to its end',
}

/** Describes a case in one line: what happens, when, and around what. */
export function describeCase({ act, moment, trouble }: Pick<HuntCase, 'act' | 'moment' | 'trouble'>): string {
  const when = moment ? ` ${describeMoment(moment)}` : ''
  const around = trouble ? `, while ${trouble.name}` : ''
  return `${acts[act] ?? act}${when}${around}`
}

function describeMoment({ anchor, nth, after }: Moment): string {
  const what = nth === 1 ? anchor : `${anchor} (time ${nth})`
  return after === 0 ? `as soon as ${what}` : `${after} ms after ${what}`
}
