import { expect } from 'vitest'
import { TwilioCalls, type PhoneCallInfo, type TwilioCallsOptions } from '../../src/lines/twilio/index.ts'
import type { Line } from '../../src/parts/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { Agent, Session, type SessionReport } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts, inVirtualTime, type World } from '../../src/testing/index.ts'
import { TestPhone, type PhoneOptions } from './phone.ts'
import { MS_PER_CHARACTER } from './phone-sound.ts'
import { dialPhone, postToPhone } from './phone-subject.ts'
import { SimWires } from './sim-wires.ts'

export const GREETING = 'Bright Dental, good morning! How can I help you?'

/** A request to the carrier's REST API. */
export interface RestCall {
  readonly url: string
  readonly authorization: string
  readonly body: string
}

export interface PhoneScene extends World {
  readonly calls: TwilioCalls
  readonly scope: Scope<string>
  readonly wires: SimWires
  /** In the order of their calls. */
  readonly sessions: Session[]
  readonly infos: PhoneCallInfo[]
  /** One entry per `closed` event. */
  readonly reports: SessionReport[]
  /** Requests to the REST API. */
  readonly rest: RestCall[]
  /** How the REST API answers. Default: 200. `down`: the request fails. `hangs`: no answer, ever. */
  restIs: number | 'down' | 'hangs' | { readonly status: number; readonly body: string }
  readonly phone: (options?: PhoneOptions) => TestPhone
  /** Places a call and waits until the caller hears something. */
  readonly call: (options?: PhoneOptions) => Promise<{ phone: TestPhone; session: Session }>
  /** The one report of a session that must be closed by now. */
  readonly report: (session?: Session) => SessionReport
}

/** How the line's connection ended. */
export const lineOf = (report: SessionReport): object | undefined =>
  report.connections.find(({ name }) => name === 'phone')

/** Expects that no call and no socket is left. */
export function expectNothingLeft({ calls, network }: PhoneScene): void {
  expect(calls.size).toBe(0)
  expect(network.sockets.list()).toEqual([])
}

export interface PhoneSceneOptions extends Partial<TwilioCallsOptions> {
  readonly session?: Partial<ConstructorParameters<typeof Session>[0]>
  readonly greeting?: string
  readonly inWorld?: (world: World) => void
}

/** A session whose agent greets the caller. Its models need no connection. */
export function sessionOn(
  line: Line,
  id: string,
  { clock, random, network }: World,
  { session, greeting = GREETING }: PhoneSceneOptions = {},
): Session {
  return new Session({
    agent: new Agent({
      name: 'desk',
      instructions: '',
      onEnter: (context) => (greeting === '' ? undefined : context.session.say(greeting)),
    }),
    models: { llm: new ScriptedLlm(), tts: new ScriptedTts({ msPerCharacter: MS_PER_CHARACTER }) },
    line,
    id,
    clock,
    random,
    network,
    ...session,
  })
}

/** Plays a scene with simulated phones in virtual time. Closes everything at the end. */
export function phoneScene(
  play: (scene: PhoneScene) => Promise<void>,
  options: PhoneSceneOptions = {},
): Promise<void> {
  return inVirtualTime(async (world) => {
    const { session: _, greeting: __, inWorld, ...callOptions } = options
    inWorld?.(world)
    const scope = new Scope<string>('calls', {
      clock: world.clock,
      phases: ['tasks', 'resources'],
      closeTimeout: 10_000,
    })
    const sessions: Session[] = []
    const infos: PhoneCallInfo[] = []
    const reports: SessionReport[] = []
    const rest: RestCall[] = []
    const phones: TestPhone[] = []
    const calls = new TwilioCalls({
      scope,
      onCall: (line, info) => {
        const session = sessionOn(line, info.id, world, options)
        sessions.push(session)
        infos.push(info)
        session.on('closed', (report) => reports.push(report))
        return session.start()
      },
      fetch: (...args) => answer(...args),
      ...callOptions,
    })
    const wires = new SimWires(
      world,
      dialPhone(() => calls, options.authToken),
    )
    const scene: PhoneScene = {
      ...world,
      calls,
      scope,
      wires,
      sessions,
      infos,
      reports,
      rest,
      restIs: 200,
      phone: (phoneOptions) => {
        const phone = new TestPhone(
          world.clock,
          wires,
          postToPhone(() => calls, options.authToken),
          phoneOptions,
        )
        phones.push(phone)
        return phone
      },
      call: async (phoneOptions) => {
        const phone = scene.phone(phoneOptions)
        await phone.rings()
        await phone.until(() => phone.heard.length > 5 || phone.over)
        return { phone, session: sessions.at(-1)! }
      },
      report: (session = sessions[0]!) => {
        const own = reports.filter(({ id }) => id === session.id)
        if (own.length !== 1) throw new Error(`${own.length} reports instead of one`)
        return own[0]!
      },
    }
    async function answer(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
      const { authorization = '' } = init.headers as Record<string, string>
      rest.push({ url: url as string, authorization, body: init.body as string })
      const { restIs } = scene
      if (restIs === 'down') throw new TypeError('fetch failed')
      if (restIs === 'hangs')
        return await new Promise((_resolve, reject) => {
          init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
        })
      if (typeof restIs === 'object') return new Response(restIs.body, { status: restIs.status })
      return new Response('{}', { status: restIs })
    }
    try {
      await play(scene)
    } finally {
      for (const session of sessions) await session.close()
      await scope.close()
      for (const phone of phones) phone.vanishes()
    }
  })
}
