import { describe, expect, it } from 'vitest'
import type { LlmChunk, Message, ToolDescription } from '../../../src/parts/index.ts'
import { systemClock } from '../../../src/scope/index.ts'
import {
  ScriptedLlm,
  conformance,
  inVirtualTime,
  llmConformance,
  partContext,
  type LlmAnswer,
  type ScriptedLlmOptions,
} from '../../../src/testing/index.ts'
import { SimRandom } from '../../../src/testing/sim-random.ts'
import { clinic } from '../../fixtures/clinic.ts'
import {
  ScriptedDialogue,
  type ScriptedDialogueOptions,
} from '../../../src/providers/local/scripted-dialogue.ts'
import { days } from '../../../src/providers/local/slots.ts'

// With a model for what it does not understand, which here is everything.
conformance({ describe, it }, 'a scripted dialogue with a model behind it', llmConformance, () => {
  const options: ScriptedLlmOptions = {}
  const model = new ScriptedLlm(options)
  return {
    llm: new ScriptedDialogue({ intents: {}, otherwise: model }),
    answers: (chunks, hangs) => void model.answers(answerOf(chunks, hangs ? { stall: true } : undefined)),
    fails: (after) => void model.answers(answerOf(after, { fail: new Error('overloaded') })),
    refuses: () => {
      options.openFails = new Error('no key')
    },
  }
})

const answerOf = (chunks: readonly LlmChunk[], last?: object): LlmAnswer =>
  [...chunks, ...(last ? [last] : [])] as LlmAnswer

// Alone. It never writes invalid JSON, and its answers never stall halfway.
const impossible = /^yields tool calls|^ends its answers with|in the middle of an answer$/
const alone = llmConformance.filter(({ name }) => !impossible.test(name))
conformance({ describe, it }, 'a scripted dialogue', alone, () => {
  const answers: Promise<string>[] = []
  return {
    llm: new ScriptedDialogue({
      intents: { hello: { says: ['good morning'], answer: () => answers.shift() ?? '' } },
    }),
    answers: (chunks, hangs) => {
      const text = chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('')
      answers.push(
        hangs && text === ''
          ? new Promise(() => {})
          : Promise.resolve(text + (hangs ? ' more'.repeat(9) : '')),
      )
    },
  }
})

/** Talks to a dialogue as a session does. `tools` are the agent's tools by name. */
class Talk {
  readonly messages: Message[] = []
  readonly calls: string[] = []
  readonly #dialogue: ScriptedDialogue
  readonly #tools: Readonly<Record<string, (input: unknown) => unknown>>
  readonly #seed: number

  constructor(
    tools: Readonly<Record<string, (input: unknown) => unknown>> = {},
    options: ScriptedDialogueOptions = clinic,
    seed = 1,
  ) {
    this.#tools = tools
    this.#dialogue = new ScriptedDialogue(options)
    this.#seed = seed
  }

  /** Returns the answer, and runs the tools. */
  async say(text?: string): Promise<string> {
    if (text !== undefined) this.messages.push({ role: 'user', text })
    const said: string[] = []
    for (;;) {
      const { words, calls } = await this.#generate()
      if (words !== '') {
        said.push(words)
        this.messages.push({ role: 'agent', text: words })
      }
      if (calls.length === 0) return said.join(' / ')
      for (const call of calls) this.#run(call)
    }
  }

  async #generate() {
    const context = partContext({ clock: systemClock, random: new SimRandom(this.#seed) })
    const tools = Object.keys(this.#tools).map((name): ToolDescription => ({
      name,
      description: '',
      parameters: {},
    }))
    const request = { instructions: '', messages: this.messages, tools }
    let words = ''
    const calls: Extract<LlmChunk, { type: 'tool-call' }>[] = []
    try {
      const client = await this.#dialogue.open(context)
      for await (const chunk of client.generate(request, new AbortController().signal)) {
        if (chunk.type === 'text') words += chunk.text
        if (chunk.type === 'tool-call') calls.push(chunk)
      }
    } finally {
      await context.scope.close()
    }
    return { words, calls }
  }

  #run({ id, name, input }: Extract<LlmChunk, { type: 'tool-call' }>): void {
    this.calls.push(`${name} ${input}`)
    this.messages.push({ role: 'tool-call', id, name, input })
    try {
      const output = JSON.stringify(this.#tools[name]!(JSON.parse(input)) ?? null)
      this.messages.push({ role: 'tool-result', id, name, output, failed: false })
    } catch (error) {
      this.messages.push({ role: 'tool-result', id, name, output: String(error), failed: true })
    }
  }
}

const tools = {
  book: (input: unknown) => input,
  move: () => {},
  cancel: () => {},
  billing: () => {},
  hangUp: () => {},
}

describe('a scripted dialogue', () => {
  it('greets at the start of the conversation', async () => {
    expect(await new Talk(tools).say()).toBe('Good morning, Bright Dental. How can I help you?')
  })

  it('answers a question and a follow-up', async () => {
    const talk = new Talk(tools)
    expect(await talk.say('What are your opening hours?')).toContain('from eight to six')
    expect(await talk.say('and on Sunday?')).toBe('On Sunday we are closed.')
  })

  it('asks for missing slots, calls the tool and reports its result', async () => {
    const talk = new Talk(tools)
    expect(await talk.say("I'd like to book an appointment, please.")).toBe('Which day would suit you?')
    expect(await talk.say('on monday')).toBe('And at what time?')
    expect(await talk.say('half past two')).toBe(
      'One moment please. / Done. You are booked for Monday at 2:30 pm.',
    )
    expect(talk.calls).toEqual(['book {"day":"Monday","time":"2:30 pm"}'])
  })

  it('takes several slots from one message, in any order, typed or spoken', async () => {
    for (const text of [
      'can i come in on friday at ten',
      'Hi! At 10:00 am on Friday, can I come in?',
      'book 10am friday',
    ]) {
      const talk = new Talk(tools)
      expect(await talk.say(text)).toContain('booked for Friday at 10 am')
    }
  })

  it('lets the caller change their mind before the tool is called', async () => {
    const talk = new Talk(tools)
    await talk.say('book an appointment on monday')
    expect(await talk.say('tuesday')).toBe('And at what time?')
    expect(await talk.say('at nine')).toContain('Tuesday at 9 am')
    await talk.say('book an appointment')
    expect(await talk.say('what are your opening hours')).toContain('We are open')
  })

  it('keeps the known slots when the caller repeats the intent', async () => {
    const talk = new Talk(tools)
    await talk.say('book an appointment on monday')
    expect(await talk.say('can i come in at nine')).toContain('booked for Monday at 9 am')
    expect(await talk.say('book an appointment')).toBe('Which day would suit you?')
  })

  it('asks for a slot again after the tool failed', async () => {
    let taken = true
    const talk = new Talk({
      ...tools,
      book: (input) => {
        if (taken) throw new Error('taken')
        return input
      },
    })
    expect(await talk.say('book on monday at ten')).toContain('What other time would suit you?')
    expect(await talk.say('purple')).toContain('And at what time?')
    taken = false
    expect(await talk.say('eleven')).toContain('booked for Monday at 11 am')
    expect(talk.calls).toHaveLength(2)
  })

  it('has a default answer for a failed tool', async () => {
    const talk = new Talk({
      ...tools,
      move: () => {
        throw new Error('no')
      },
    })
    expect(await talk.say('move my appointment to friday at ten')).toBe('I am sorry, that did not work.')
  })

  it('asks for confirmation before it calls the tool', async () => {
    const talk = new Talk(tools)
    expect(await talk.say('cancel my appointment')).toBe('Shall I cancel your appointment?')
    expect(await talk.say('purple elephants')).toContain('Yes or no?')
    expect(await talk.say('no')).toMatch(/leave it|nothing has changed/)
    expect(talk.calls).toEqual([])
    expect(await talk.say('yes')).toContain('You can say')
    await talk.say('I want to cancel')
    expect(await talk.say('yes please')).toBe('It is cancelled.')
    expect(talk.calls).toEqual(['cancel {}'])
  })

  it('does not call the tool again when a slot is mentioned later', async () => {
    const talk = new Talk(tools)
    await talk.say('book on monday at ten')
    await talk.say('on tuesday')
    expect(talk.calls).toHaveLength(1)
  })

  it('offers hints when it has not understood', async () => {
    const talk = new Talk(tools)
    const answer = await talk.say('[not understood]')
    expect(answer).toContain('book an appointment, move my appointment')
    expect(await new Talk({}).say('purple elephants')).not.toContain('book')
  })

  it('understands the rest of a message that was not fully understood', async () => {
    const talk = new Talk(tools)
    await talk.say('book an appointment')
    expect(await talk.say('[not understood] monday at ten')).toContain('Monday at 10 am')
  })

  it('repeats its last answer on request', async () => {
    const talk = new Talk(tools)
    const answer = await talk.say('when are you open')
    expect(await talk.say('could you say that again please')).toBe(answer)
    expect(await new Talk(tools).say('pardon')).toContain('Bright Dental')
  })

  it('knows only the intents that the agent has tools for', async () => {
    const talk = new Talk({ billing: () => {} })
    expect(await talk.say('book an appointment')).toContain('You can say')
    expect(await talk.say('i have a question about my bill')).toBe('I will put you through to billing.')
    expect(talk.calls).toEqual(['billing {}'])
  })

  it('chooses among its answers at random, but never the same twice in a row', async () => {
    const answers = await Promise.all(
      [1, 1, 2, 3, 4, 5].map((seed) => new Talk(tools, clinic, seed).say('thanks')),
    )
    expect(answers[0]).toBe(answers[1])
    expect(new Set(answers).size).toBe(2)
    const talk = new Talk(tools)
    expect(await talk.say('thanks')).not.toBe(await talk.say('thank you'))
  })

  it('can be resumed and interrupted, since it depends on the messages alone', async () => {
    const talk = new Talk(tools)
    await talk.say('book an appointment on monday')
    const resumed = new Talk(tools)
    // Only the heard part of an interrupted answer is in the messages: here none of it.
    resumed.messages.push(...talk.messages.filter(({ role }) => role !== 'agent'))
    expect(await resumed.say('at ten')).toContain('booked for Monday at 10 am')
  })

  it('fills answers with slots and results', async () => {
    const options: ScriptedDialogueOptions = {
      slots: { day: days },
      intents: {
        find: {
          says: ['what is free on {day}'],
          call: 'find',
          input: ({ day }) => ({ on: day }),
          answer: 'On {day}: {result.first} and {result.more.count} more.{nothing}{result.nothing}',
        },
      },
    }
    const talk = new Talk({ find: () => ({ first: 'nine', more: { count: 3 } }) }, options)
    expect(await talk.say('what is free on monday')).toBe('On Monday: nine and 3 more.')
    expect(talk.calls).toEqual(['find {"on":"Monday"}'])
  })

  it('streams its answer word by word', async () => {
    await inVirtualTime(async ({ clock, random }) => {
      const context = partContext({ clock, random })
      const client = await new ScriptedDialogue(clinic).open(context)
      const chunks: LlmChunk[] = []
      const request = { instructions: '', messages: [], tools: [] }
      for await (const chunk of client.generate(request, new AbortController().signal)) chunks.push(chunk)
      expect(chunks.slice(0, 3)).toEqual(
        ['Good ', 'morning, ', 'Bright '].map((text) => ({ type: 'text', text })),
      )
      await context.scope.close()
    })
  })

  it.each(['close', 'abort'] as const)('rejects a pending answer on %s of its scope', async (end) => {
    await inVirtualTime(async ({ clock, random }) => {
      const context = partContext({ clock, random })
      const dialogue = new ScriptedDialogue({
        intents: { hello: { says: ['hello'], answer: () => new Promise(() => {}) } },
      })
      const client = await dialogue.open(context)
      const request = { instructions: '', messages: [{ role: 'user', text: 'hello' } as const], tools: [] }
      const answer = client.generate(request, new AbortController().signal)[Symbol.asyncIterator]().next()
      const failed = expect(answer).rejects.toMatchObject({ code: 'CANCELLED' })
      await clock.elapse(100)
      await context.scope[end]()
      await failed
    })
  })

  it('lists the phrases it understands, including short answers', () => {
    const { phrases } = new ScriptedDialogue({
      slots: { size: ['small', 'large'] },
      intents: { pizza: { says: ['a {size} pizza'], needs: { size: 'Which size?' }, confirm: 'Really?' } },
    })
    expect(phrases).toContain('a (small|large) pizza')
    expect(phrases.some((phrase) => /^\[.*\] \(small\|large\)$/.test(phrase))).toBe(true)
    expect(phrases).toContain('yes [please]')
  })

  it('refuses invalid rules', () => {
    const make = (intent: object) => () =>
      new ScriptedDialogue({ intents: { x: { says: ['hello'], ...intent } } })
    expect(make({ says: ['on {day}'] })).toThrow("no slot 'day'")
    expect(make({ needs: { day: 'When?' } })).toThrow("intent 'x' uses an unknown slot 'day'")
    expect(make({ failed: { say: 'No.', ask: 'time' } })).toThrow("slot 'time'")
    expect(make({ says: ['hello ('] })).toThrow("invalid phrase 'hello ('")
  })
})
