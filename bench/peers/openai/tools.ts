import type { Case } from '../case.ts'
import { OpenAISubject } from './openai-subject.ts'
import { started } from './ours.ts'
import { Work } from '../work.ts'

const CALLS_POLITE = 'openai, calls a tool, answers close frames'
const POLITE = 'openai, answers close frames'

/** Tools and guardrails that are running at the close. The SDK has no signal for them; the guard and endwell have one. */
export const tools: readonly Case[] = [
  {
    name: 'tool-waits-for-its-backend',
    about: 'a tool is waiting for its backend',
    shows: ['socket left', 'work goes on', 'process stays'],
    vendor: CALLS_POLITE,
    short: true,
    ...withTool((work, url, signal) => work.asks(url, signal)),
  },
  {
    name: 'tool-polls-its-backend',
    about: 'a tool is polling its backend',
    shows: ['opens after close', 'work goes on', 'process stays'],
    vendor: CALLS_POLITE,
    ...withTool((work, url, signal) => work.polls(`${url}/poll`, signal)),
  },
  {
    name: 'tool-fails-late',
    about: 'a tool fails half a second after the close, and the app has no error listener',
    shows: ['work goes on', 'process crashes'],
    unfair: 'the tool ignores its signal, if there is one',
    vendor: CALLS_POLITE,
    ...withTool((work) => work.fails(500), false),
  },
  {
    name: 'guardrail-waits-for-its-backend',
    about: 'a guardrail is waiting for its backend',
    shows: ['socket left', 'work goes on', 'process stays'],
    vendor: POLITE,
    ...withGuardrail((work, url, signal) => work.asks(url, signal)),
  },
  {
    name: 'guardrail-fails-late',
    about: 'a guardrail fails half a second after the close, and the app has no error listener',
    shows: ['work goes on', 'process crashes'],
    unfair: 'the guardrail ignores its signal, if there is one',
    vendor: POLITE,
    ...withGuardrail((work) => work.fails(500), false),
  },
]

type Act = (work: Work, url: string, signal: AbortSignal | undefined) => Promise<string>

/** A tool that is running at the close. With `stops`, it uses a backend and stops when its signal aborts. */
function withTool(act: Act, stops = true): Pick<Case, 'theirs' | 'ours'> {
  return {
    theirs: async (context) => {
      const work = new Work()
      const subject = await OpenAISubject.connected(context, {
        lookup: (signal) => act(work, context.http, signal),
      })
      subject.ask()
      await work.begun
      if (stops) await context.seen({ connections: 2 })
      return subject.call(goesOn(context.column === 'plain' || stops, work))
    },
    ours: async (context) => {
      const work = new Work()
      const subject = await started(context, { lookup: (signal) => act(work, context.http, signal) })
      subject.ask()
      await work.begun
      if (stops) await context.seen({ connections: 2 })
      return subject.call(goesOn(stops, work))
    },
  }
}

function withGuardrail(act: Act, stops = true): Pick<Case, 'theirs' | 'ours'> {
  return {
    theirs: async (context) => {
      const work = new Work()
      const subject = await OpenAISubject.connected(context, {
        check: (signal) => act(work, context.http, signal),
      })
      subject.ask()
      await work.begun
      if (stops) await context.seen({ connections: 2 })
      return subject.call(goesOn(context.column === 'plain' || stops, work))
    },
    ours: async (context) => {
      const work = new Work()
      const check = async (_: string, { signal }: { readonly signal: AbortSignal }): Promise<undefined> => {
        await act(work, context.http, signal)
      }
      const subject = await started(context, { agent: { guardrails: { output: { check } } } })
      subject.ask()
      await work.begun
      if (stops) await context.seen({ connections: 2 })
      return subject.call(goesOn(stops, work))
    },
  }
}

const goesOn = (isChecked: boolean, work: Work): { goesOn?: () => boolean } =>
  isChecked ? { goesOn: () => work.goesOn } : {}
