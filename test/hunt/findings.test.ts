import { connect, createServer } from 'node:net'
import { spawn } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AgentFile } from '../../src/host/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { tool, type ToolOptions } from '../../src/session/index.ts'
import type { HuntResult } from '../../src/testing/index.ts'
import { agentFile, found, quickHunt, withTool } from './fixture.ts'

const never = (): Promise<never> => new Promise(() => {})
const fail = (): never => {
  throw new Error('it broke')
}

/** A tool with a bug, and the kinds of what a hunt finds. */
interface BadTool extends Pick<ToolOptions<undefined>, 'run' | 'timeout'> {
  readonly about: string
  readonly finds: readonly string[]
}

/** Tools with one bug each, by name. One agent has them all. */
const badTools: Readonly<Record<string, BadTool>> = {
  deaf: {
    about: 'that ignores its signal',
    run: () => sleep(3_000),
    finds: ['ignores-signal'],
  },
  endless: {
    about: 'that never ends, and is called again',
    run: never,
    timeout: 4_000,
    finds: ['ignores-signal', 'runs-twice'],
  },
  ticking: {
    about: 'that leaves an interval, whose callback throws',
    run: (_, { progress }) => {
      setInterval(() => progress('still working'), 500)
      return 'done'
    },
    finds: ['left-open', 'uncaught-error'],
  },
  waiting: {
    about: 'that leaves a timeout',
    run: () => void setTimeout(() => {}, 600_000),
    finds: ['left-timer'],
  },
  rejecting: {
    about: 'that rejects a promise that nothing awaits',
    run: () => {
      Promise.reject(new Error('nothing awaits this')).then(undefined, fail)
      return 'done'
    },
    finds: ['uncaught-error'],
  },
  exiting: {
    about: 'that ends the process',
    run: () => process.exit(3),
    finds: ['ends-process'],
  },
  abrupt: {
    about: 'that says goodbye and closes the session',
    run: async (_, { say, close }) => {
      say('Thank you for calling, and goodbye.')
      await close()
    },
    finds: ['speech-cut'],
  },
  slow: {
    about: 'that keeps the caller waiting in silence',
    run: (_, { signal }) => sleep(12_000, undefined, { signal }),
    finds: ['silence'],
  },
  feed: {
    about: 'that owns something that does not close',
    run: (_, { own }) => {
      own('feed', {}, { close: never, abort: () => {} })
      return 'done'
    },
    finds: ['not-clean'],
  },
}

describe('a hunt finds a tool', () => {
  let result: HuntResult

  beforeAll(async () => {
    const tools = Object.entries(badTools).map(([name, { about, run, timeout = 15_000 }]) => [
      name,
      tool({ description: `A tool ${about}`, run, timeout }),
    ])
    result = await quickHunt(agentFile({ tools: Object.fromEntries(tools) }))
  })

  it.each(Object.entries(badTools))('[HN1] named %s, $about', (name, { finds }) => {
    const own = result.findings.filter(({ where }) => where.endsWith(`'${name}'`))
    expect(own.map(({ kind }) => kind).toSorted()).toEqual(finds)
  })

  it('[HN1] and nothing else', () => {
    expect(result.findings).toHaveLength(Object.values(badTools).flatMap(({ finds }) => finds).length)
    expect(result).toMatchObject({ endsWell: false, complete: true })
  })

  it('[HN2] in the smallest case, with its story, its report, the line of code, and what to do', () => {
    const index = result.findings.findIndex(({ where }) => where === "the tool 'deaf'")
    const finding = result.findings[index]!
    expect(finding).toMatchObject({
      title: "the tool 'deaf' did not stop when it was asked",
      severity: 'failure',
      case: { conversation: 'deaf', act: 'hangs-up' },
      what: expect.stringMatching(/^the caller hung up .*; it went on for .* s\. It never read its signal$/),
      story: expect.stringContaining("the tool 'deaf' is asked to stop"),
      report: expect.stringContaining('caller-hung-up'),
      advice: expect.stringContaining('signal'),
      docs: expect.stringContaining('docs/hunt.md#ignores-signal'),
      line: { file: 'test/hunt/findings.test.ts', text: expect.stringContaining('sleep(3_000)') },
    })
    expect(finding.times).toBe(result.cases.filter((one) => one.findings.includes(index)).length)
  })

  it('[HN1] that leaves a scope open', async () => {
    const scopes: Scope[] = []
    const file = withTool(() => void scopes.push(new Scope('forgotten')))
    expect(found(await quickHunt(file))).toEqual(['left-open: the agent'])
    for (const scope of scopes) scope.abort()
  })

  it('[HN1] that leaves a process or a connection open, and ends what was left', async () => {
    const ends: Promise<unknown>[] = []
    const server = createServer((socket) => {
      ends.push(new Promise((resolve) => socket.on('error', () => {}).once('close', resolve)))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const signals: Promise<unknown>[] = []
    try {
      const file = agentFile({
        tools: {
          start: tool({
            description: 'Starts',
            run: () => {
              const child = spawn('sleep', ['600'])
              signals.push(new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal))))
            },
          }),
          dial: tool({
            description: 'Dials',
            run: async () => {
              const socket = connect(port, '127.0.0.1')
              await new Promise((resolve) => socket.once('connect', resolve))
            },
          }),
        },
      })
      const left = await quickHunt(file)
      expect(found(left)).toEqual(["left-open: the tool 'dial'", "left-open: the tool 'start'"])
      expect(ends.length).toBeGreaterThan(0)
      await Promise.all(ends)
      expect(new Set(await Promise.all(signals))).toEqual(new Set(['SIGKILL']))
    } finally {
      server.close()
    }
  })

  it('[HN1] that blocks the event loop, and names the function that does', async () => {
    const blocked = await quickHunt(withTool(block), { case: 2 })
    expect(blocked.findings).toMatchObject([{ kind: 'blocked-loop', line: { function: 'block' } }])
  })
})

/** Agents whose bugs are not in a tool, and what a hunt finds. */
const badAgents: Readonly<Record<string, { readonly file: AgentFile; readonly finds: readonly string[] }>> = {
  'hooks that take too long, throw, and hang when the call ends': {
    file: agentFile({
      onEnter: ({ signal }) => sleep(3_000, undefined, { signal }),
      onTurn: fail,
      onExit: never,
    }),
    finds: [
      "ignores-signal: the hook onExit of agent 'desk'",
      "late-hook: the hook onEnter of agent 'desk'",
      "throws: the hook onTurn of agent 'desk'",
    ],
  },
  'a guardrail that throws': {
    file: agentFile({ guardrails: { input: { polite: fail } } }),
    finds: ["throws: the guardrail 'polite'"],
  },
  'listeners that throw and never end': {
    file: agentFile({
      onEnter: ({ session }) => {
        session.on('user', fail)
        session.on('spoken', never)
        session.say('Good morning!')
      },
    }),
    finds: ["never-ends: the listener of 'spoken'", "throws: the listener of 'user'"],
  },
  'after-call handlers that throw and ignore their signal': {
    file: agentFile(
      {},
      {
        afterCallTimeout: 1_000,
        afterCall: { save: fail, send: () => sleep(5_000) },
        session: { afterCall: fail },
      },
    ),
    finds: [
      "ignores-signal: the after-call handler 'send'",
      "throws: the after-call handler 'save'",
      "throws: the afterCall function 'fail' of the session",
    ],
  },
}

describe('a hunt finds an agent with', () => {
  it.each(Object.entries(badAgents))('[HN1] %s', async (_, { file, finds }) => {
    expect(found(await quickHunt(file))).toEqual(finds)
  })
})

function block(): string {
  return pbkdf2Sync('password', 'salt', 200_000, 64, 'sha512').toString('hex')
}
