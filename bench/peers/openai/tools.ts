import type { Case } from '../case.ts'
import { Desk } from './desk.ts'
import { started } from './ours.ts'
import { Work } from '../work.ts'

const CALLS_POLITE = 'openai, calls a tool, answers close frames'
const POLITE = 'openai, answers close frames'

/** What tools and guardrails do while the session is closed. The SDK has no signal for them; a guard has, and so have we. */
export const tools: readonly Case[] = [
  {
    name: 'tool-waits-for-its-backend',
    about: 'a tool is waiting for an answer',
    shows: ['socket left', 'work goes on', 'process stays'],
    vendor: CALLS_POLITE,
    short: true,
    ...withTool((work, url, signal) => work.asks(url, signal)),
  },
  {
    name: 'tool-polls-its-backend',
    about: 'a tool asks again and again',
    shows: ['opens after close', 'work goes on', 'process stays'],
    vendor: CALLS_POLITE,
    ...withTool((work, url, signal) => work.polls(`${url}/poll`, signal)),
  },
  {
    name: 'tool-fails-late',
    about: 'a tool fails half a second after the close, and nobody listens to errors',
    shows: ['work goes on', 'process crashes'],
    unfair: 'the tool ignores its signal, where there is one',
    vendor: CALLS_POLITE,
    ...withTool((work) => work.fails(500), false),
  },
  {
    name: 'guardrail-waits-for-its-backend',
    about: 'a guardrail is waiting for an answer',
    shows: ['socket left', 'work goes on', 'process stays'],
    vendor: POLITE,
    ...withGuardrail((work, url, signal) => work.asks(url, signal)),
  },
  {
    name: 'guardrail-fails-late',
    about: 'a guardrail fails half a second after the close, and nobody listens to errors',
    shows: ['work goes on', 'process crashes'],
    unfair: 'the guardrail ignores its signal, where there is one',
    vendor: POLITE,
    ...withGuardrail((work) => work.fails(500), false),
  },
]

type Does = (work: Work, url: string, signal: AbortSignal | undefined) => Promise<string>

/** A tool that is running when the session is closed. `ends`: it asks a backend, and stops when it is told to. */
function withTool(does: Does, ends = true): Pick<Case, 'theirs' | 'ours'> {
  return {
    theirs: async (stage) => {
      const work = new Work()
      const desk = await Desk.connected(stage, { lookup: (signal) => does(work, stage.http, signal) })
      desk.ask()
      await work.begun
      if (ends) await stage.seen({ connections: 2 })
      return desk.call(goesOn(stage.column === 'plain' || ends, work))
    },
    ours: async (stage) => {
      const work = new Work()
      const desk = await started(stage, { lookup: (signal) => does(work, stage.http, signal) })
      desk.ask()
      await work.begun
      if (ends) await stage.seen({ connections: 2 })
      return desk.call(goesOn(ends, work))
    },
  }
}

function withGuardrail(does: Does, ends = true): Pick<Case, 'theirs' | 'ours'> {
  return {
    theirs: async (stage) => {
      const work = new Work()
      const desk = await Desk.connected(stage, { check: (signal) => does(work, stage.http, signal) })
      desk.ask()
      await work.begun
      if (ends) await stage.seen({ connections: 2 })
      return desk.call(goesOn(stage.column === 'plain' || ends, work))
    },
    ours: async (stage) => {
      const work = new Work()
      const check = async (_: string, { signal }: { readonly signal: AbortSignal }): Promise<undefined> => {
        await does(work, stage.http, signal)
      }
      const desk = await started(stage, { agent: { guardrails: { output: { check } } } })
      desk.ask()
      await work.begun
      if (ends) await stage.seen({ connections: 2 })
      return desk.call(goesOn(ends, work))
    },
  }
}

const goesOn = (looked: boolean, work: Work): { goesOn?: () => boolean } =>
  looked ? { goesOn: () => work.goesOn } : {}
