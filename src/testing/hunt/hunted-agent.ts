import {
  Session,
  type Agent,
  type Guardrail,
  type HookContext,
  type NestedTask,
  type SessionEvents,
  type SessionOptions,
  type Speech,
  type Tool,
  type ToolContext,
  type Toolset,
} from '../../session/index.ts'
import { AgentVariants } from '../agent-variants.ts'
import type { MockTool } from '../mock-tools.ts'
import { playMock } from '../mock-tools.ts'
import { variantOf } from '../variant.ts'
import type { CodePlace, CodeRun } from './code-run.ts'
import type { HuntedCode } from './hunted-code.ts'

type Hook = (context: HookContext) => unknown

/** Runs everything that an agent brings as hunted code, and leaves out its own models. */
export class HuntedAgents extends AgentVariants {
  readonly #code: HuntedCode
  readonly #mocks: ReadonlyMap<string, MockTool>
  readonly #wait: (ms: number) => Promise<void>
  readonly #nested: (call: string, waits: boolean) => void

  constructor(
    code: HuntedCode,
    mocks: Readonly<Record<string, MockTool>>,
    wait: (ms: number) => Promise<void>,
    nested: (call: string, waits: boolean) => void,
  ) {
    super()
    this.#code = code
    this.#mocks = new Map(Object.entries(mocks))
    this.#wait = wait
    this.#nested = nested
  }

  protected override changes(agent: Agent): Partial<Agent> {
    const { name, onEnter, onResume, onExit, onTurn, onMessage, guardrails, stages } = agent
    const { text, sound } = stages
    const stage = (what: string): CodePlace => ({
      kind: 'stage',
      label: `the stage '${what}' of agent '${name}'`,
    })
    return {
      ...super.changes(agent),
      llm: undefined,
      tts: undefined,
      prices: undefined,
      onEnter: this.#hook('onEnter', name, onEnter),
      onResume: this.#hook('onResume', name, onResume),
      onExit: this.#hook('onExit', name, onExit),
      onTurn:
        onTurn &&
        ((words, context) =>
          this.#code.run(hookPlace('onTurn', name), context.signal, () => onTurn(words, context))),
      onMessage:
        onMessage &&
        ((message, context) =>
          this.#code.run(hookPlace('onMessage', name), context.signal, () => onMessage(message, context))),
      guardrails: {
        ...guardrails,
        ...(guardrails.input && { input: this.#guardrails(guardrails.input) }),
        ...(guardrails.output && { output: this.#guardrails(guardrails.output) }),
      },
      stages: {
        ...(text && { text: (words) => this.#code.iterate(stage('text'), () => text(words)) }),
        ...(sound && { sound: (frames) => this.#code.iterate(stage('sound'), () => sound(frames)) }),
      },
    }
  }

  protected override run(name: string, tool: Tool, input: unknown, context: ToolContext): unknown {
    const { finishWithin } = tool
    const place: CodePlace = { kind: 'tool', label: `the tool '${name}'`, input: jsonOf(input), finishWithin }
    const mock = this.#mocks.get(name)
    if (mock !== undefined) return playMock(name, mock, input, context, this.#wait)
    return this.#code.run(place, context.signal, (run) => tool.run(input, noticing(context, run)))
  }

  protected override async nested<Result>(context: ToolContext, task: NestedTask<Result>): Promise<Result> {
    this.#nested(context.id, true)
    try {
      return await super.nested(context, task)
    } finally {
      this.#nested(context.id, false)
    }
  }

  protected override open(
    set: Toolset,
    context: Parameters<Toolset['open']>[0],
  ): ReturnType<Toolset['open']> {
    const place: CodePlace = { kind: 'toolset', label: `the toolset '${set.name}'` }
    return this.#code.run(place, context.scope.signal, () => set.open(context))
  }

  #hook(what: string, agent: string, hook: Hook | undefined): Hook | undefined {
    return hook && ((context) => this.#code.run(hookPlace(what, agent), context.signal, () => hook(context)))
  }

  #guardrails(guardrails: Readonly<Record<string, Guardrail>>): Readonly<Record<string, Guardrail>> {
    return Object.fromEntries(
      Object.entries(guardrails).map(([name, guardrail]): [string, Guardrail] => [
        name,
        (text, context) =>
          this.#code.run({ kind: 'guardrail', label: `the guardrail '${name}'` }, context.signal, () =>
            guardrail(text, context),
          ),
      ]),
    )
  }
}

/** A session whose agents, and the listeners that they add, run as hunted code. */
export class HuntedSession extends Session {
  readonly #agents: HuntedAgents
  readonly #code: HuntedCode

  constructor(options: SessionOptions, agents: HuntedAgents, code: HuntedCode) {
    super({ ...options, agent: agents.agent(options.agent) })
    this.#agents = agents
    this.#code = code
  }

  override handOff(to: Agent): Promise<void> {
    return super.handOff(this.#agents.agent(to))
  }

  override say(...args: Parameters<Session['say']>): Speech {
    const speech = super.say(...args)
    const [text] = args
    this.#code.current?.speeches.push({ text: typeof text === 'string' ? text : '', speech })
    return speech
  }

  override on<Name extends keyof SessionEvents>(
    name: Name,
    listener: (data: SessionEvents[Name]) => unknown,
  ): () => void {
    if (!this.#code.current) return super.on(name, listener)
    const place: CodePlace = { kind: 'listener', label: `the listener of '${name}'` }
    return super.on(name, (data) => this.#code.run(place, undefined, () => listener(data)))
  }
}

function hookPlace(what: string, agent: string): CodePlace {
  return { kind: 'hook', label: `the hook ${what} of agent '${agent}'` }
}

/** The functions of a tool's context that take as long as the session does. */
const slow = [
  'waitForPlayout',
  'press',
  'run',
  'hangUp',
  'transfer',
  'recordCall',
  'answeredBy',
  'leaveMessage',
  'close',
] as const

/** The context of a tool, which notes whether the tool reads its signal, what it says, and whether it waits for the session. */
function noticing(context: ToolContext, run: CodeRun): ToolContext {
  const waiting = slow.map((name) => {
    const own = context[name] as (...args: unknown[]) => Promise<unknown>
    const counted = (...args: unknown[]): Promise<unknown> => {
      run.unanswered++
      const settled = (): void => void run.unanswered--
      const promise = own(...args)
      promise.then(settled, settled)
      return promise
    }
    return [name, counted]
  })
  const noted = variantOf(context, {
    ...(Object.fromEntries(waiting) as Partial<ToolContext>),
    say: (text) => {
      const speech = context.say(text)
      run.speeches.push({ text, speech })
      return speech
    },
  })
  Object.defineProperty(noted, 'signal', {
    enumerable: true,
    get: () => {
      run.readsSignal = true
      return context.signal
    },
  })
  return noted
}

function jsonOf(input: unknown): string {
  try {
    return JSON.stringify(input) ?? 'undefined'
  } catch {
    return 'an input that cannot be written as JSON'
  }
}
