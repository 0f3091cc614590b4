import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { chat } from '../../src/cli/conversation/chat.ts'
import type { AgentFile } from '../../src/host/index.ts'
import type { Llm } from '../../src/parts/index.ts'
import { systemClock } from '../../src/scope/index.ts'
import { Agent, tool, type AgentOptions, type Models, type SessionReport } from '../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedTts,
  callTool,
  type LlmAnswer,
} from '../../src/testing/index.ts'
import { compiled } from '../compiled.ts'
import { runProgram } from './run-program.ts'
import { TerminalDouble } from './terminal-double.ts'

interface Chat {
  readonly terminal: TerminalDouble
  readonly input: PassThrough
  /** What a terminal shows of what is typed. */
  readonly echo: PassThrough
  readonly interrupt: () => void
  readonly hangUp: () => void
  readonly report: Promise<SessionReport>
}

const scripted = (answers: readonly LlmAnswer[]): Models => ({
  llm: new ScriptedLlm({ answers }),
  tts: new ScriptedTts(),
})

interface BeginOptions {
  readonly json?: boolean
  readonly isTTY?: boolean
  readonly file?: Partial<AgentFile>
}

function begin(
  models: Models,
  agent: Partial<AgentOptions> = {},
  { json = false, isTTY = false, file = {} }: BeginOptions = {},
): Chat {
  const terminal = new TerminalDouble()
  const input = Object.assign(new PassThrough(), { isTTY })
  const echo = new PassThrough()
  echo.setEncoding('utf8')
  let [interrupt, hangUp] = [() => {}, () => {}]
  const report = chat({
    file: {
      name: 'Front desk',
      agent: new Agent({ name: 'desk', instructions: 'You answer.', ...agent }),
      models: () => models,
      ...file,
    },
    models,
    json,
    input,
    output: echo,
    onSignal: (first, second) => ([interrupt, hangUp] = [first, second]),
  })
  return { terminal, input, echo, interrupt: () => interrupt(), hangUp: () => hangUp(), report }
}

/** A model whose answer goes on when it is let go. */
function gated(): { llm: Llm; goOn: () => void } {
  let goOn = (): void => {}
  const llm: Llm = {
    name: 'gated',
    open: async () => ({
      async *generate(_, signal) {
        yield { type: 'text', text: 'One moment, ' }
        await new Promise<void>((resolve) => {
          goOn = resolve
          signal.addEventListener('abort', () => resolve())
        })
        signal.throwIfAborted()
        yield { type: 'text', text: 'please.' }
      },
    }),
  }
  return { llm, goOn: () => goOn() }
}

describe('endwell chat', () => {
  it('[TM1] says each line of a pipe when the agent has finished, and hangs up at its end', async () => {
    const { terminal, input, report } = begin(scripted(['Nine to six.', 'You are welcome.']), {
      onEnter: ({ session }) => void session.say('Good morning!'),
    })
    input.end('When are you open?\n\nThank you\n')
    expect(await report).toMatchObject({ reason: 'caller-hung-up', clean: true })
    expect(
      terminal.out
        .replaceAll(/\(\d+ ms\)/g, '(ms)')
        .split('\n')
        .slice(0, 5),
    ).toEqual([
      'desk: Good morning!',
      'you: When are you open?',
      'desk: Nine to six.  (ms)',
      'you: Thank you',
      'desk: You are welcome.  (ms)',
    ])
    expect(terminal.out).toMatch(
      /\n✓ session terminal · clean .*\n {2}session terminal · .* 2 turns\n {2}answered/,
    )
  })

  it('[TM1] shows words as they come, and stops the answer at Ctrl-C', async () => {
    const { llm, goOn } = gated()
    const { terminal, input, interrupt, report } = begin({ llm, tts: new ScriptedTts() })
    input.write('Hello\n')
    await terminal.shows(/desk: One moment, $/)
    goOn()
    await terminal.shows(/please\./)
    input.write('Again\n')
    await terminal.shows(/desk: One moment, $/)
    interrupt()
    await terminal.shows(/desk: One moment, +—/)
    // The next answer can be stopped, too. After that, Ctrl-C hangs up.
    input.write('And again\n')
    await terminal.shows(/And again\ndesk: One moment, $/)
    interrupt()
    await terminal.shows(/And again\ndesk: One moment, +—/)
    interrupt()
    const { transcript, reason } = await report
    expect(reason).toBe('caller-hung-up')
    expect(transcript.filter((item) => item.type === 'message' && item.interrupted)).toHaveLength(2)
  })

  it('[TM1] hangs up at Ctrl-C while nobody speaks, and closes at once at the third', async () => {
    const { terminal, interrupt, report } = begin(scripted([]), {
      onEnter: ({ session }) => void session.say('Hello!'),
      onExit: () => new Promise(() => {}),
    })
    await terminal.shows(/Hello!\n/)
    for (let press = 0; press < 3; press++) interrupt()
    const began = systemClock.now()
    expect(await report).toMatchObject({ reason: 'caller-hung-up', clean: false })
    // A close may take 5 s.
    expect(systemClock.now() - began).toBeLessThan(2_500)
  })

  it('[TM1] shows tools with their duration, handoffs, guardrails and errors', async () => {
    const lawyer = (text: string): string | undefined => (text.includes('sue') ? 'a threat' : undefined)
    const billing = new Agent({ name: 'billing', instructions: '', guardrails: { input: { lawyer } } })
    const { terminal, input, report } = begin(
      scripted([
        [callTool('look', { day: 'Monday' })],
        [callTool('transfer')],
        'This is billing.',
        [{ fail: new Error('no more') }],
      ]),
      {
        tools: {
          look: tool({ description: 'Looks', run: () => 'ten' }),
          transfer: tool({ description: 'Transfers', run: () => billing }),
        },
      },
    )
    input.end('My bill\nHello\nBroken\nI will sue you\n')
    await report
    expect(terminal.out).toMatch(/ {2}look \{"day":"Monday"\} …\n {2}look returned after \d+ ms: ten\n/)
    expect(terminal.out).toMatch(/ {2}desk hands over to billing\n/)
    expect(terminal.out).toMatch(/billing: This is billing\./)
    expect(terminal.out).toMatch(/ {2}llm: no more\n/)
    expect(terminal.out).toMatch(/ {2}guardrail lawyer stops the input: a threat\n/)
  })

  it('[TM1] asks whether a tool may run', async () => {
    const paid: string[] = []
    const pay = tool({ description: 'Pays', approval: true, run: () => void paid.push('paid') })
    const answers = [[callTool('pay')], 'Done.', [callTool('pay')], 'As you like.']
    const { terminal, input, report } = begin(scripted(answers), { tools: { pay } })
    input.end('Pay\nyes\nPay again\nno\n')
    expect(await report).toMatchObject({ clean: true })
    expect(paid).toEqual(['paid'])
    expect(terminal.out).toMatch(/may pay run\? yes or no/)
    expect(terminal.out).toMatch(/desk: Done\.[^]*pay failed after \d+ ms[^]*desk: As you like\./)
  })

  it('[TM1] prints lines of JSON, the last of which is the report', async () => {
    const { terminal, input, report } = begin(scripted(['Yes.']), {}, { json: true })
    input.end('Hello?\n')
    await report
    expect(terminal.lines).toMatchObject([
      { type: 'user', text: 'Hello?' },
      { type: 'agent', agent: 'desk', text: 'Yes.', how: 'played', latency: expect.any(Number) },
      { type: 'report', report: { clean: true } },
    ])
  })

  it('[TM1] says what was not said because the agent had hung up', async () => {
    const { terminal, input, report } = begin(scripted([[callTool('bye')]]), {
      tools: { bye: tool({ description: 'Ends', run: (_, { hangUp }) => hangUp({ say: 'Bye!' }) }) },
    })
    input.end('Bye\nAre you there?\n')
    expect(await report).toMatchObject({ reason: 'agent-hung-up' })
    expect(terminal.out).toContain('the call ended before 1 of the lines could be said')
  })

  it.each([
    ['writes', true],
    ['only speaks', false],
  ])('[TM1] talks to a realtime model that %s', async (_, writes) => {
    const realtime = new ScriptedRealtime({ answers: ['Nine to six.'] })
    Object.assign(realtime, { writes })
    const { terminal, input, report } = begin({ realtime })
    input.end('When are you open?\n')
    expect(await report).toMatchObject({ clean: true })
    expect(terminal.out).toMatch(/you: When are you open\?\ndesk: Nine to six\./)
  })

  it('[TM1] takes the options of the agent file, but records nothing', async () => {
    let aborted = 0
    const recording = { open: () => {}, push: () => {}, close: async () => {}, abort: () => aborted++ }
    const session = (() => ({ recording, maxDuration: 60_000 })) as unknown as NonNullable<
      AgentFile['session']
    >
    const { input, report } = begin(scripted([]), {}, { file: { session } })
    input.end()
    expect(await report).toMatchObject({ clean: true })
    expect(aborted).toBe(1)
  })

  it('[TM1] rejects if the call cannot begin', async () => {
    const llm: Llm = { name: 'broken', open: () => Promise.reject(new Error('no such model')) }
    const { report } = begin({ llm, tts: new ScriptedTts() })
    await expect(report).rejects.toThrow('no such model')
  })

  it('[TM1] has a prompt in a terminal, which gives way to what the agent says', async () => {
    const { llm, goOn } = gated()
    const { terminal, input, echo, report } = begin({ llm, tts: new ScriptedTts() }, {}, { isTTY: true })
    const shown = async (pattern: RegExp): Promise<void> => {
      let text = ''
      for (;;) {
        text += String(echo.read() ?? '')
        if (pattern.test(text)) return
        await new Promise((resolve) => echo.once('readable', resolve))
      }
    }
    await shown(/you: /)
    input.write('Hello\r')
    await terminal.shows(/desk: One moment, $/)
    goOn()
    await terminal.shows(/please\. {2}/)
    // What was typed is not repeated.
    expect(terminal.out).not.toContain('you:')
    await shown(/you: /)
    // Ctrl-D.
    input.write('\u0004')
    expect(await report).toMatchObject({ reason: 'caller-hung-up', clean: true })
  })
})

describe('endwell chat, as a program', () => {
  it('[TM1] [HO45] talks to the agent of a file, and hangs up at Ctrl-C', async () => {
    const program = runProgram(['chat', compiled('clock-agent'), '--json'])
    await program.prints(/"type":"agent"/)
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
    expect(program.lines.at(-1)).toMatchObject({ type: 'report', report: { reason: 'caller-hung-up' } })
  })
})
