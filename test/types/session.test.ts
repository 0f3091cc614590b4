import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as v from 'valibot'

import {
  Agent,
  AgentTask,
  askForKeys,
  menuTools,
  tool,
  type CloseReason,
  type CostReport,
  type History,
  type HistoryItem,
  type Models,
  type Reply,
  type Session,
  type SessionEvents,
  type SessionHandle,
  type SessionOptions,
  type SessionReport,
  type Speech,
  type ToolContext,
  type Toolset,
  type TransferOptions,
  type TransferOutcome,
} from '../../src/index.ts'
import { silence } from '../../src/audio/index.ts'
import type { KeysItem, PressOutcome, Price } from '../../src/session/index.ts'
import type { Llm, Realtime, Tts, Usage } from '../../src/parts/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const session: Session

describe('the events of a session', () => {
  it('have known names only, and each its own data', () =>
    types(() => {
      session.on('closed', (report) => expectTypeOf(report).toEqualTypeOf<SessionReport>())
      session.on('spoken', ({ outcome }) =>
        expectTypeOf(outcome.how).toEqualTypeOf<'played' | 'interrupted' | 'failed'>(),
      )
      session.on('error', ({ where, error }) => {
        expectTypeOf(where).toEqualTypeOf<string>()
        expectTypeOf(error).toEqualTypeOf<unknown>()
      })
      // @ts-expect-error a misspelt event must not compile
      session.on('clsoed', () => {})
      // @ts-expect-error data of another event
      session.on('user', ({ digits }) => digits)
    }))

  it('are told apart in a loop by their type', () =>
    types(async () => {
      for await (const event of session.events()) {
        expectTypeOf(event.type).toEqualTypeOf<keyof SessionEvents>()
        if (event.type === 'user') expectTypeOf(event.data.text).toEqualTypeOf<string>()
        if (event.type === 'latency') expectTypeOf(event.data.ms).toEqualTypeOf<number>()
        // @ts-expect-error no such event
        if (event.type === 'goodbye') return
      }
    }))

  it('unsubscribe with what `on` returns', () =>
    types(() => {
      expectTypeOf(session.on('state', () => {})).toEqualTypeOf<() => void>()
    }))
})

describe('ending a session', () => {
  it('takes known reasons only, wherever it is asked for', () =>
    types(() => {
      expectTypeOf(session.close()).toEqualTypeOf<Promise<SessionReport>>()
      expectTypeOf(session.drain({ reason: 'host-draining' })).toEqualTypeOf<Promise<SessionReport>>()
      expectTypeOf(session.closed).toEqualTypeOf<Promise<SessionReport>>()
      expectTypeOf(session.signal).toEqualTypeOf<AbortSignal>()
      // @ts-expect-error not a reason
      session.close({ reason: 'banana' }).catch(() => {})
      // @ts-expect-error a string is not a time
      session.close({ closeTimeout: '5000' }).catch(() => {})
      tool({
        description: 'Hangs up',
        run: (_, { close, hangUp }) => {
          expectTypeOf(hangUp({ say: 'Bye.' })).toEqualTypeOf<
            Promise<'confirmed' | 'unconfirmed' | 'cancelled'>
          >()
          // @ts-expect-error not a reason in a tool either
          return close({ reason: 'banana' })
        },
      })
      return new Agent({
        instructions: '',
        // @ts-expect-error nor in a hook
        onExit: ({ close }) => close({ reason: 'banana' }),
      })
    }))

  it('transfers a caller to a number', () =>
    types(() => {
      expectTypeOf(session.transfer({ to: '+4930123456' })).toEqualTypeOf<Promise<TransferOutcome>>()
      tool({
        description: 'Connects the caller to a person',
        run: (_, { transfer }) => {
          expectTypeOf(transfer).toEqualTypeOf<(options: TransferOptions) => Promise<TransferOutcome>>()
          // @ts-expect-error to whom?
          return transfer({ say: 'One moment, please.' })
        },
      })
      // @ts-expect-error a string is not a time
      session.transfer({ to: '+4930123456', ringTimeout: '5000' }).catch(() => {})
    }))

  it('names its reason in the report', () => {
    expectTypeOf<SessionReport['reason']>().toEqualTypeOf<CloseReason>()
    expectTypeOf<SessionReport['closeTimeout']>().toEqualTypeOf<number>()
    expectTypeOf<SessionReport['transcript']>().toEqualTypeOf<readonly HistoryItem[]>()
  })
})

describe('pressing keys', () => {
  it('takes a string, and says how it went', () =>
    types(() => {
      expectTypeOf(session.press('1w2#')).toEqualTypeOf<Promise<PressOutcome>>()
      expectTypeOf<PressOutcome['how']>().toEqualTypeOf<'played' | 'interrupted' | 'failed'>()
      expectTypeOf<PressOutcome['keys']>().toEqualTypeOf<string>()
      session.on('pressed', ({ outcome }) => expectTypeOf(outcome).toEqualTypeOf<PressOutcome>())
      // @ts-expect-error keys are a string: 0800 is not a number
      session.press(800).catch(() => {})
      tool({
        description: 'Presses keys',
        run: (_, { press }) => expectTypeOf(press('1')).toEqualTypeOf<Promise<PressOutcome>>(),
      })
    }))

  it('is asked for by a task whose result may be missing', () =>
    types(async () => {
      const context = {} as ToolContext
      expectTypeOf(await context.run(askForKeys({ say: 'Your number?' }))).toEqualTypeOf<string | undefined>()
      // @ts-expect-error the caller must be asked
      askForKeys({ digits: 4 })
      // @ts-expect-error no such option
      askForKeys({ say: 'Your number?', length: 4 })
    }))

  it('is a toolset, for an agent in a menu', () =>
    types(() => {
      const agent = new Agent({ instructions: '' })
      expectTypeOf(menuTools()).toEqualTypeOf<Toolset>()
      menuTools({
        giveUpAt: 3,
        onGiveUp: (context) => (expectTypeOf(context).toEqualTypeOf<ToolContext>(), agent),
      })
      // @ts-expect-error no such option
      menuTools({ maxVisits: 3 })
      tool({
        description: 'Reads the history',
        run: (_, { history, ifCancelled }) => {
          expectTypeOf(history).toEqualTypeOf<History>()
          // @ts-expect-error the output is a text
          ifCancelled(3)
        },
      })
    }))

  it('is in the history as an item of its own', () =>
    types((item = {} as HistoryItem) => {
      if (item.type === 'keys') expectTypeOf(item).toEqualTypeOf<KeysItem>()
      // @ts-expect-error keys are not words
      if (item.type === 'keys') return item.text
      return undefined
    }))
})

describe('the sounds of a session', () => {
  it('are audio or the bytes of a WAV file', () =>
    types(() => {
      const sound = silence(1_000, 8_000)
      const sounds: SessionOptions['sounds'] = {
        background: { sound },
        thinking: { sound: new Uint8Array(), after: 500 },
      }
      // @ts-expect-error a sound is not the name of a file
      const named: SessionOptions['sounds'] = { background: { sound: 'office.wav' } }
      // @ts-expect-error the background begins at once
      const late: SessionOptions['sounds'] = { background: { sound, after: 500 } }
      return [sounds, named, late]
    }))
})

describe('a tool', () => {
  it('gets the input that its schema describes', () =>
    types(() => {
      tool({
        description: 'zod',
        input: z.object({ day: z.string(), guests: z.number().optional() }),
        run: (input) => expectTypeOf(input).toEqualTypeOf<{ day: string; guests?: number | undefined }>(),
      })
      tool({
        description: 'valibot',
        input: v.object({ day: v.string() }),
        approval: ({ day }) => day === 'Sunday',
        run: ({ day }) => expectTypeOf(day).toEqualTypeOf<string>(),
      })
      tool({
        description: 'none',
        run: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>(),
      })
      // @ts-expect-error JSON Schema belongs in `parameters`
      tool({ description: 'json', input: { type: 'object' }, run: () => {} })
      // @ts-expect-error times are numbers
      tool({ description: 'time', timeout: '5 s', run: () => {} })
    }))

  it('gets the typed result of a nested task', () =>
    types(async () => {
      const context = {} as ToolContext
      const birthday = new AgentTask<Date>({ instructions: '', tools: (done) => ({ save: saveOf(done) }) })
      expectTypeOf(await context.run(birthday)).toEqualTypeOf<Date>()
      const own = context.own('socket', { fd: 3, end() {} }, { close: (s) => s.end(), abort: (s) => s.end() })
      expectTypeOf(own.fd).toEqualTypeOf<number>()
    }))
})

const saveOf = (done: (date: Date) => void) => tool({ description: 'Saves', run: () => done(new Date(0)) })

describe('a session', () => {
  it('is what hooks are given', () => {
    expectTypeOf<Session>().toExtend<SessionHandle>()
    types(() => {
      return new Agent({
        instructions: '',
        onEnter: ({ session: handle, signal }) => {
          expectTypeOf(handle).toEqualTypeOf<SessionHandle>()
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
          expectTypeOf(handle.say('Hello.')).toEqualTypeOf<Speech>()
          expectTypeOf(handle.reply({ instructions: 'Be brief.' })).toEqualTypeOf<Reply>()
        },
        onTurn: (text) => expectTypeOf(text).toEqualTypeOf<string>() && undefined,
      })
    })
  })

  it('takes a pipeline of models or a realtime model, not both', () =>
    types(() => {
      const parts = {} as { llm: Llm; tts: Tts; realtime: Realtime }
      const { llm, tts, realtime } = parts
      expectTypeOf({ llm, tts }).toExtend<Models>()
      expectTypeOf({ realtime }).toExtend<Models>()
      // @ts-expect-error a voice is missing
      const noVoice: Models = { llm }
      // @ts-expect-error either, or
      const both: Models = { realtime, llm, tts }
      return [noVoice, both]
    }))

  it('takes times as numbers, and known options only', () =>
    types(() => {
      const rest = {} as Pick<SessionOptions, 'agent' | 'models' | 'line'>
      const good: SessionOptions = { ...rest, closeTimeout: 3_000, idleTimeout: 60_000 }
      // @ts-expect-error an environment variable is a string
      const text: SessionOptions = { ...rest, closeTimeout: '3000' }
      // @ts-expect-error misspelt
      const misspelt: SessionOptions = { ...rest, closeTimout: 3_000 }
      // @ts-expect-error a plain object is not an agent
      const plain: SessionOptions = { ...rest, agent: { instructions: '' } }
      return [good, text, misspelt, plain]
    }))
})

describe('the prices of a session', () => {
  it('have the units of a usage, and lead to a cost that may be absent', () =>
    types(() => {
      expectTypeOf<keyof Price>().toEqualTypeOf<Exclude<keyof Usage, 'deviations'>>()
      expectTypeOf<NonNullable<SessionOptions['prices']>[string]>().toEqualTypeOf<Price>()
      // @ts-expect-error: no such unit
      const price: Price = { characer: 1 }
      expectTypeOf<SessionReport['usage']['models'][string]>().toEqualTypeOf<Usage>()
      expectTypeOf<SessionReport['cost']>().toEqualTypeOf<CostReport | undefined>()
      return price
    }))
})
