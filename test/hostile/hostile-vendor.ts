import type { DialRequest } from '../../src/scope/index.ts'
import type { Manners, Peer } from '../../src/testing/index.ts'
import type { Hostility } from './misbehave.ts'

/** JSON values in place of what a field should have. */
const values: readonly unknown[] = [
  null,
  7,
  -1,
  1e300,
  '',
  'x'.repeat(10_000),
  {},
  [],
  { length: 1e9 },
  { toString: 1 },
  true,
]

const ways = ['loses', 'garbles', 'repeats', 'cuts', 'floods', 'closes', 'drops', 'falls silent'] as const

/** Wraps a vendor's server: it refuses some connections, and misbehaves in some of its messages. */
export function hostileVendor(
  hostility: Hostility,
  serve: (request: DialRequest) => Manners,
  secret: string,
): (request: DialRequest) => Manners {
  const { random, rate, tell } = hostility
  return (request) => {
    const manners = serve(request)
    if (random.chance(rate / 2)) {
      tell('vendor refuses')
      return { refuse: random.pick([0, 401, 404, 429, 503]) }
    }
    let hostile: Peer | undefined
    return {
      ...manners,
      ...(random.chance(rate / 4) ? { connect: 'never' } : {}),
      opened: (peer) => {
        hostile = hostilePeer(hostility, peer, secret)
        manners.opened?.(hostile)
      },
      message: (peer, data) => manners.message?.(hostile ?? peer, data),
      ended: (peer) => manners.ended?.(hostile ?? peer),
    }
  }
}

function hostilePeer({ random, rate, tell }: Hostility, peer: Peer, secret: string): Peer {
  let silent = false
  const send = (data: string | Uint8Array): void => {
    if (silent) return
    if (!random.chance(rate / 4)) return peer.send(data)
    const way = random.pick(ways)
    tell(`vendor ${way}`)
    switch (way) {
      case 'loses':
        return
      case 'garbles':
        return peer.send(typeof data === 'string' ? garbled(random, data) : data.slice(1))
      case 'repeats':
        peer.send(data)
        return peer.send(data)
      case 'cuts':
        return peer.send(data.slice(0, random.int(0, data.length)))
      case 'floods':
        for (let times = 0; times < 200; times++) peer.send(data)
        return
      case 'closes':
        return peer.close(random.pick([1000, 1008, 1011, 4000, 4999]), `the key ${secret} is not valid`)
      case 'drops':
        return peer.drop()
      case 'falls silent':
        break
    }
    silent = true
  }
  return new Proxy(peer, {
    get: (target, key) => (key === 'send' ? send : Reflect.get(target, key, target)),
  })
}

/** Replaces a random field of a message, at any depth. */
function garbled(random: Hostility['random'], text: string): string {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return text
  }
  let parent = message
  for (;;) {
    if (typeof parent !== 'object' || parent === null) return JSON.stringify(message)
    const keys = Object.keys(parent)
    if (keys.length === 0) return JSON.stringify(message)
    const fields = parent as Record<string, unknown>
    const key = random.pick(keys)
    if (typeof fields[key] === 'object' && fields[key] !== null && random.chance(0.6)) parent = fields[key]
    else {
      fields[key] = values[random.int(0, values.length - 1)]
      return JSON.stringify(message)
    }
  }
}
