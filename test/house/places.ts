import type { Power } from './powers.ts'
import { parse } from './syntax.ts'
import type { Source } from './tree.ts'
import { usesOf } from './uses.ts'

/** A file, or a folder with a trailing slash, that may use some powers. `.oxlintrc.json` has an override for each. */
export interface Place {
  readonly path: string
  readonly powers: readonly Power[]
  readonly reason: string
}

export const places: readonly Place[] = [
  {
    path: 'src/scope/clock.ts',
    powers: ['timers', 'immediate', 'now'],
    reason: 'implements the production clock',
  },
  { path: 'src/scope/random.ts', powers: ['chance'], reason: 'implements the production random' },
  { path: 'src/link/ws-network.ts', powers: ['sockets'], reason: 'implements the production network' },
  {
    path: 'src/guard/globals.ts',
    powers: ['disguise'],
    reason:
      'reads and replaces the global timers and the dispatcher of fetch, and shares state between copies of the package',
  },
  {
    path: 'src/guard/patch-timers.ts',
    powers: ['timers'],
    reason: 'replaces the global timers, to see those that foreign code starts',
  },
  {
    path: 'src/lines/accepted-socket.ts',
    powers: ['sockets'],
    reason: 'takes the sockets that callers have dialled',
  },
  {
    path: 'src/lines/secrets.ts',
    powers: ['chance'],
    reason: 'secrets must not come from a simulated random',
  },
  {
    path: 'src/lines/websocket/client/dom/browser.ts',
    powers: ['sockets', 'timers', 'chance', 'now'],
    reason: 'implements the network, the clock and the random of a page',
  },
  {
    path: 'src/testing/servers/loopback-server.ts',
    powers: ['sockets'],
    reason: 'is the peer of a real socket',
  },
  {
    path: 'src/testing/servers/twilio-wire.ts',
    powers: ['sockets'],
    reason: 'dials as a phone carrier does',
  },
  {
    path: 'src/testing/drain.ts',
    powers: ['immediate'],
    reason: 'runs all microtasks between two events of a simulation',
  },
  {
    path: 'src/testing/hunt/virtual-globals.ts',
    powers: ['timers', 'now', 'chance', 'disguise'],
    reason: 'replaces timers, dates, random numbers and fetch for the code of an agent that is hunted',
  },
  {
    path: 'test/hunt/',
    powers: ['timers', 'now', 'chance', 'disguise'],
    reason: 'has agents that use the platform as users do, with their bugs',
  },
  {
    path: 'examples/hunt/',
    powers: ['timers'],
    reason: 'is written as users write agents, with their bugs',
  },
  {
    path: 'examples/after-call/receiver.ts',
    powers: ['now'],
    reason: 'is the program of somebody else, which receives webhooks and has no other clock',
  },
  {
    path: 'test/sim/summary.ts',
    powers: ['now'],
    reason: 'prints the number of simulated lives per second; no life can read it',
  },
  {
    path: 'test/fleet/main.ts',
    powers: ['now'],
    reason: 'prints how long each scenario took; no scenario can read it',
  },
  {
    path: 'test/fleet/measure.ts',
    powers: ['now'],
    reason: 'measures requests to a real database',
  },
  {
    path: 'test/matrix/main.ts',
    powers: ['now'],
    reason: 'prints how long the cases took; no case can read it',
  },
  {
    path: 'test/guard/',
    powers: ['timers', 'immediate', 'sockets', 'disguise'],
    reason: 'behaves like the frameworks that are guarded',
  },
  {
    path: 'bench/scope/promise-race.ts',
    powers: ['race'],
    reason: 'measures the cost of a race, the reason why endwell has none',
  },
  {
    path: 'bench/phone/bare-ws.ts',
    powers: ['sockets'],
    reason: 'is the baseline for phone calls',
  },
  { path: 'bench/link/bare-ws.ts', powers: ['sockets'], reason: 'is the baseline for a link' },
  { path: 'bench/calls/bare-ws.ts', powers: ['sockets'], reason: 'is the baseline for calls' },
  { path: 'bench/calls/by-hand.ts', powers: ['sockets'], reason: 'is a call without endwell' },
  { path: 'bench/guard/load.ts', powers: ['sockets'], reason: 'behaves like a framework that is guarded' },
  {
    path: 'bench/peers/',
    powers: ['sockets'],
    reason: 'behaves like the clients of other frameworks',
  },
  { path: 'bench/', powers: ['timers', 'immediate', 'now'], reason: 'measures real time' },
  { path: 'tools/', powers: ['timers', 'immediate', 'now'], reason: 'runs outside of sessions' },
]

const covers = (place: Place, path: string): boolean =>
  place.path.endsWith('/') ? path.startsWith(place.path) : path === place.path

/** Uses of powers outside of their places, and powers that a place has and does not use, one line each. */
export function strayUses(sources: readonly Source[], allowed: readonly Place[]): string[] {
  const used = new Set<string>()
  const stray = sources.flatMap((source) =>
    usesOf(source).flatMap(({ power, what, line }) => {
      const place = allowed.find((each) => covers(each, source.path) && each.powers.includes(power))
      if (place === undefined) return [`${source.path}:${line} uses ${what} (${power})`]
      used.add(`${place.path} ${power}`)
      return []
    }),
  )
  const idle = allowed
    .filter(({ path }) => !path.endsWith('/'))
    .flatMap(({ path, powers }) => powers.map((power) => `${path} ${power}`))
    .filter((grant) => !used.has(grant))
    .map((grant) => `${grant} is allowed and not used`)
  return [...stray, ...idle]
}

/** Comments that suppress a rule of the linter or the compiler and are not allowed, one line each. */
export function straySuppressions(sources: readonly Source[], allowed: readonly string[]): string[] {
  const found = sources
    .filter(({ text }) => /(oxlint|eslint)-(dis|en)able|@ts-(ignore|nocheck)/.test(text))
    .flatMap((source) => {
      const { comments, lineOf } = parse(source)
      return comments
        .filter(({ value }) => /(oxlint|eslint)-(dis|en)able|^\s*@ts-(ignore|nocheck)/m.test(value))
        .map((comment) => ({ path: source.path, line: lineOf(comment), text: comment.value.trim() }))
    })
  const stray = found.filter(({ path, text }) => !allowed.includes(`${path} ${text}`))
  const idle = allowed.filter((each) => !found.some(({ path, text }) => each === `${path} ${text}`))
  return [
    ...stray.map(({ path, line, text }) => `${path}:${line} ${text}`),
    ...idle.map((each) => `${each} is allowed and does not exist`),
  ]
}
