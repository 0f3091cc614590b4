import type { LinkSettings } from '../../../src/link/link-settings.ts'
import { caseOf, type Case } from '../case.ts'
import { linkModel, type MoveName } from './link-model.ts'

const small: LinkSettings = {
  handshake: 2,
  open: 4,
  retries: 1,
  lifetimeRetries: 2,
  healthyAfter: 2,
  backoff: 1,
  longestBackoff: 1,
  answer: 1,
  pong: 1,
  closeFrame: 1,
  order: 'new-first',
  maxAge: undefined,
  acknowledges: true,
  acknowledgeWithin: 1,
  closePatience: 1,
  ignoresClose: false,
}

const links = (
  name: string,
  more: Partial<LinkSettings>,
  alphabet: readonly MoveName[],
  depth?: number,
): Case => {
  const always = ['opened', 'ready', 'answered', 'dropped', 'refused', 'intent', 'close'] as const
  return caseOf(name, () => linkModel({ ...small, ...more }, [...always, ...alphabet]), depth)
}

const closings = ['closing one ends', 'acknowledged', 'abort'] as const

export const linkCases: readonly Case[] = [
  links('connections that are refused, dropped and closed', {}, [
    ...closings,
    'fatal',
    'refused for good',
    'dropped for good',
    'overflow',
    'broken',
  ]),
  links('connections that end unused or expired', {}, [...closings, 'unused for long', 'expired', 'wake']),
  links('a peer that announces the end of a connection', {}, [
    ...closings,
    'end announced',
    'retiring one ends',
  ]),
  links('one connection at a time, whose end is announced', { order: 'old-first' }, [
    ...closings,
    'end announced',
    'retiring one ends',
  ]),
  // The pauses between rollovers grow.
  links('rollovers', {}, [...closings, 'roll over', 'roll over soon', 'retiring one ends'], 9),
  links(
    'rollovers with one connection at a time',
    { order: 'old-first', maxAge: 3 },
    [...closings, 'roll over', 'retiring one ends'],
    9,
  ),
]
