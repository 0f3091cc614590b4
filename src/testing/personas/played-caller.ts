import type { Llm, Message, ToolDescription } from '../../parts/index.ts'
import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import type { Session } from '../../session/index.ts'
import type { Pace } from '../pace.ts'
import type { Turn } from '../turn-record.ts'
import { AskedModel, parsedInput, shown, type ModelAnswer } from './asked-model.ts'

export interface CallerOptions {
  /** The model that plays the caller. It needs no relation to the model of the agent. */
  llm: Llm
  /** Who the caller is, and how this person talks. */
  persona: string
  /** What the caller wants from the call. */
  goal: string
  /** Whether the caller speaks, so that VAD, STT and turn-taking take part. Default: false, the caller types. */
  speaks?: boolean
  /** How often the caller says something before they hang up. Default: 12. */
  maxTurns?: number
  /** The time limit for one answer of the model, in milliseconds. Default: 30 s. */
  timeout?: number
}

const optionNames: OptionNames<CallerOptions> = {
  llm: true,
  persona: true,
  goal: true,
  speaks: true,
  maxTurns: true,
  timeout: true,
}

/** How a call with a played caller ended. */
export interface PlayedCall {
  /**
   * `reached-goal` and `gave-up` are what the caller says. `session-ended`: the agent hung up, or the session ended for another
   * reason. `turn-limit`: the caller was still talking after `maxTurns`.
   */
  readonly how: 'reached-goal' | 'gave-up' | 'session-ended' | 'turn-limit'
  /** Why the caller hung up, in their own words. Empty if they did not. */
  readonly reason: string
  /** The turns of the caller. */
  readonly turns: readonly Turn[]
}

/** The call as a played caller uses it. */
export interface PlayableCall {
  readonly session: Session
  readonly turns: readonly Turn[]
  run(text: string): Promise<Turn>
  says(text: string): Promise<Turn>
  hangsUp(): Promise<unknown>
}

interface HangUp {
  readonly reachedGoal: boolean
  readonly reason: string
}

const hangUp: ToolDescription = {
  name: 'hangUp',
  description:
    'Hang up. Call this when you have what you want, or when it is clear that you will not get it.',
  parameters: {
    type: 'object',
    properties: {
      reachedGoal: { type: 'boolean', description: 'Whether you have got what you wanted' },
      reason: { type: 'string', description: 'Why you hang up, in one sentence' },
    },
    required: ['reachedGoal', 'reason'],
  },
}

/** Has a model talk to the agent as the caller, until they hang up, the session ends, or the turns are used up. */
export async function playCaller(
  call: PlayableCall,
  pace: Pace,
  options: CallerOptions,
): Promise<PlayedCall> {
  checkOptions('talksAs', options, optionNames)
  const { llm, persona, goal, speaks = false, maxTurns = 12, timeout = 30_000 } = options
  if (!(maxTurns >= 1)) throw new OptionError(`talksAs: maxTurns must be at least 1; it is ${maxTurns}`)
  const model = new AskedModel('the caller', llm, pace, timeout)
  const instructions = instructionsFor(persona, goal)
  const messages: Message[] = [heardIn(call.turns.at(-1))]
  const turns: Turn[] = []
  const ended = (how: PlayedCall['how'], reason = ''): PlayedCall => ({ how, reason, turns })
  const isLive = (): boolean => call.session.state === 'live'
  try {
    while (isLive()) {
      if (turns.length >= maxTurns) {
        await call.hangsUp()
        return ended('turn-limit')
      }
      const answer = await model.ask({ instructions, messages: [...messages], tools: [hangUp] })
      const end = hangUpIn(answer, model)
      if (!isLive()) break
      if (answer.text !== '') {
        const turn = await (speaks ? call.says(answer.text) : call.run(answer.text))
        turns.push(turn)
        messages.push({ role: 'agent', text: answer.text }, heardIn(turn))
      }
      if (!end) continue
      if (isLive()) await call.hangsUp()
      return ended(end.reachedGoal ? 'reached-goal' : 'gave-up', end.reason)
    }
    return ended('session-ended')
  } finally {
    await model.close()
  }
}

function instructionsFor(persona: string, goal: string): string {
  return [
    'You play a person who talks to an agent on the phone. This is a test of the agent. Stay in your part.',
    `Who you are: ${persona}`,
    `What you want: ${goal}`,
    'Answer only with the words that you say next: one or two short sentences, as people speak. Never say what the agent should say.',
    `Call the tool ${hangUp.name} as soon as you have what you want, or when it is clear that you will not get it.`,
  ].join('\n')
}

/** What the caller has heard in a turn, as a message to the model. */
function heardIn(turn: Turn | undefined): Message {
  const text = turn?.messages.join(' ') ?? ''
  return { role: 'user', text: text === '' ? '(The agent says nothing.)' : text }
}

/** The call of `hangUp` in an answer. Throws if the answer is neither words nor that. */
function hangUpIn(answer: ModelAnswer, model: AskedModel): HangUp | undefined {
  const [call, ...others] = answer.calls
  if (!call && answer.text !== '') return undefined
  const { reachedGoal, reason } = (call?.name === hangUp.name && parsedInput(call.input)) || {}
  if (others.length > 0 || typeof reachedGoal !== 'boolean')
    throw model.error(
      `must say something, or call ${hangUp.name} with { reachedGoal, reason }. It answered: ${shown(answer)}`,
    )
  return { reachedGoal, reason: typeof reason === 'string' ? reason : '' }
}
