import { OptionError } from '../scope/index.ts'
import { choiceIn, limitIn, textIn, type HostContext } from './answers.ts'
import type { Fleet } from './fleet/fleet.ts'
import type { CallSort } from './journal/journal.ts'
import type { Logbook, LogbookQuery } from './logbook.ts'
import type { SessionSummary } from './wire/index.ts'

export interface ListQuery extends LogbookQuery {
  /** Default: `newest`. Other orders leave out sessions that lack the figure, such as those that are live. */
  readonly sort?: CallSort
  /** The last session of a page: the next page has older ones. */
  readonly before?: PageEnd
  readonly limit?: number
}

type PageEnd = Pick<SessionSummary, 'addedAt' | 'id'>

/** What a list is sorted by, the largest first. */
const figures: Readonly<Record<CallSort, (session: SessionSummary) => number | undefined>> = {
  newest: ({ addedAt }) => addedAt,
  slowest: ({ latency }) => latency?.p95,
  dearest: ({ cost }) => cost?.total,
  longest: ({ lived }) => lived,
}

/** The sessions of this process as they are now, and all others as the journal has them. */
export async function listSessions(
  logbook: Logbook,
  fleet: Fleet | undefined,
  { limit, before, sort = 'newest', ...query }: ListQuery,
): Promise<SessionSummary[]> {
  const own = logbook.list(query).filter((session) => !before || isOlder(session, before))
  const listed = await fleet?.archive.list({
    ...query,
    sort,
    ...(limit === undefined ? {} : { limit }),
    ...(before ? { before: before.addedAt, beforeId: before.id } : {}),
  })
  const others = listed?.filter(({ id }) => !logbook.get(id)) ?? []
  const figureOf = figures[sort]
  return [...own, ...others]
    .filter((session) => figureOf(session) !== undefined)
    .toSorted((one, other) => figureOf(other)! - figureOf(one)!)
    .slice(0, limit)
}

const isOlder = (one: PageEnd, other: PageEnd): boolean =>
  one.addedAt < other.addedAt || (one.addedAt === other.addedAt && one.id < other.id)

/** The query of a request. Throws `OptionError` if it is not valid. */
export function listQueryIn(context: HostContext): ListQuery {
  const state = choiceIn(context, 'state', ['live', 'closed'])
  const clean = choiceIn(context, 'clean', ['true', 'false'])
  const wrong = choiceIn(context, 'wrong', ['true', 'false'])
  const sort = choiceIn(context, 'sort', ['newest', 'slowest', 'dearest', 'longest'])
  const since = timeIn(context, 'since')
  const before = timeIn(context, 'before')
  return {
    words: textIn(context, 'q'),
    ...(state === undefined ? {} : { state }),
    ...(clean === undefined ? {} : { clean: clean === 'true' }),
    ...(wrong === undefined ? {} : { wrong: wrong === 'true' }),
    ...(sort === undefined ? {} : { sort }),
    ...(since === undefined ? {} : { since }),
    ...(before === undefined ? {} : { before: { addedAt: before, id: textIn(context, 'beforeId') } }),
    ...limitIn(context),
  }
}

function timeIn(context: HostContext, name: string): number | undefined {
  const text = textIn(context, name)
  if (text === '') return undefined
  const time = Number(text)
  if (Number.isSafeInteger(time) && time >= 0) return time
  throw new OptionError(`${name} must be a time in milliseconds since 1970, such as the addedAt of a session`)
}
