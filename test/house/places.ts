import type { Power } from './powers.ts'
import { parse } from './syntax.ts'
import type { Source } from './tree.ts'
import { usesOf } from './uses.ts'

/** A file, or a folder ending in a slash, that may use a power. `.oxlintrc.json` has an override for each. */
export interface Place {
  readonly path: string
  readonly powers: readonly Power[]
  readonly reason: string
}

export const places: readonly Place[] = [
  { path: 'src/scope/clock.ts', powers: ['timers', 'now'], reason: 'the clock of production' },
  { path: 'src/scope/random.ts', powers: ['chance'], reason: 'the chance of production' },
  { path: 'src/link/ws-network.ts', powers: ['sockets'], reason: 'the network of production' },
  {
    path: 'src/guard/globals.ts',
    powers: ['disguise'],
    reason:
      'hooks of the guard: the global timers, the dispatcher of fetch, and what copies of the package share',
  },
  {
    path: 'src/guard/patch-timers.ts',
    powers: ['timers'],
    reason: 'sees the timers that foreign code starts, and starts none of its own but to slow it down',
  },
  {
    path: 'src/lines/accepted-socket.ts',
    powers: ['sockets'],
    reason: 'takes the sockets that callers have dialled',
  },
  {
    path: 'src/lines/secrets.ts',
    powers: ['chance'],
    reason: 'keys that nobody can guess must not come from a simulation',
  },
  {
    path: 'src/lines/websocket/client/dom/browser.ts',
    powers: ['sockets', 'timers', 'chance'],
    reason: 'the network, the clock and the chance of a page',
  },
  {
    path: 'src/testing/servers/loopback-server.ts',
    powers: ['sockets'],
    reason: 'the other side of a real socket',
  },
  {
    path: 'src/testing/servers/twilio-wire.ts',
    powers: ['sockets'],
    reason: 'the other side of a phone line: a carrier dials',
  },
  {
    path: 'src/testing/drain.ts',
    powers: ['immediate'],
    reason: 'lets every microtask run between two events of a simulation',
  },
  {
    path: 'test/sim/main.ts',
    powers: ['now'],
    reason: 'says how many simulated lives it lived a second; no life sees it',
  },
  {
    path: 'test/matrix/main.ts',
    powers: ['now'],
    reason: 'says how long the cases took; no case sees it',
  },
  {
    path: 'test/guard/',
    powers: ['timers', 'immediate', 'sockets', 'disguise'],
    reason: 'does what the frameworks do that are guarded',
  },
  {
    path: 'bench/scope/promise-race.ts',
    powers: ['race'],
    reason: 'shows what a race costs, which is why there is none',
  },
  {
    path: 'bench/phone/bare-ws.ts',
    powers: ['sockets'],
    reason: 'what calls of the phone are compared with',
  },
  { path: 'bench/link/bare-ws.ts', powers: ['sockets'], reason: 'what a link is compared with' },
  { path: 'bench/calls/bare-ws.ts', powers: ['sockets'], reason: 'what calls are compared with' },
  { path: 'bench/guard/load.ts', powers: ['sockets'], reason: 'what a framework does that is guarded' },
  {
    path: 'bench/peers/',
    powers: ['sockets'],
    reason: 'does what clients of vendors do in other frameworks',
  },
  { path: 'bench/', powers: ['timers', 'immediate', 'now'], reason: 'measures real time' },
  { path: 'tools/', powers: ['timers', 'immediate', 'now'], reason: 'runs outside of any session' },
]

const covers = (place: Place, path: string): boolean =>
  place.path.endsWith('/') ? path.startsWith(place.path) : path === place.path

/** Powers used outside of their places, and places that do not use what they were given, one line each. */
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
    .map((grant) => `${grant}: allowed, and not used`)
  return [...stray, ...idle]
}

/** Comments that switch a rule of the linter or the compiler off, one line each. */
export function strayPardons(sources: readonly Source[], allowed: readonly string[]): string[] {
  const found = sources.flatMap((source) =>
    parse(source)
      .comments.filter(({ value }) => /(oxlint|eslint)-(dis|en)able|^\s*@ts-(ignore|nocheck)/m.test(value))
      .map(({ value, line }) => ({ path: source.path, line, text: value.trim() })),
  )
  const stray = found.filter(({ path, text }) => !allowed.includes(`${path} ${text}`))
  const idle = allowed.filter((each) => !found.some(({ path, text }) => each === `${path} ${text}`))
  return [
    ...stray.map(({ path, line, text }) => `${path}:${line} ${text}`),
    ...idle.map((each) => `${each}: allowed, and not there`),
  ]
}
