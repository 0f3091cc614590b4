import type { SessionDetails, SessionSummary } from '../../host/index.ts'
import { timeText } from '../../report/index.ts'
import { EndwellError } from '../../scope/index.ts'
import type { HistoryItem } from '../../session/index.ts'
import { alignColumns } from '../configuration.ts'
import { dateText, missing } from './texts.ts'
import { runOperatorCommand } from './operator-command.ts'

const call = { name: 'ID', about: 'the id of the call' }

export function sessions(args: readonly string[]): Promise<void> {
  return runOperatorCommand(
    {
      name: 'endwell sessions',
      summary: 'Lists the calls of all hosts that share a journal, newest first.',
      options: {
        state: { type: 'string', about: 'live or closed', value: 'state' },
        clean: { type: 'string', about: 'true or false: whether the call closed cleanly', value: 'choice' },
        words: {
          type: 'string',
          about: 'a text in the id, the agent, the caller, the reason or the transcript',
        },
        limit: { type: 'number', about: 'how many calls', default: 20, range: [1, 1_000] },
      },
      check: ({ state, clean }) => {
        if (state !== undefined && state !== 'live' && state !== 'closed')
          return `Option '--state' must be live or closed, not '${state}'`
        if (clean !== undefined && clean !== 'true' && clean !== 'false')
          return `Option '--clean' must be true or false, not '${clean}'`
        return undefined
      },
      act: async (operator, { state, clean, words, limit }) => {
        const listed = await operator.sessions({
          limit,
          ...(state === undefined ? {} : { state: state as 'live' | 'closed' }),
          ...(clean === undefined ? {} : { clean: clean === 'true' }),
          ...(words === undefined ? {} : { words }),
        })
        const header = ['id', 'agent', 'from', 'began', 'lived', 'end']
        const lines = alignColumns([header, ...listed.map(rowOf)])
        return { value: { sessions: listed }, lines: listed.length === 0 ? ['no calls'] : lines }
      },
    },
    args,
  )
}

function rowOf({
  id,
  agent = '',
  from = '',
  state,
  addedAt,
  lived,
  reason,
  clean,
}: SessionSummary): string[] {
  const end = reason === undefined ? state : `${reason}${clean === false ? ', not clean' : ''}`
  return [id, agent, from, dateText(addedAt), lived === undefined ? '–' : timeText(lived), end]
}

export function report(args: readonly string[]): Promise<void> {
  return runOperatorCommand(
    {
      name: 'endwell report',
      summary: 'Prints how a call ended: its report, and with --transcript what was said.',
      argument: call,
      options: { transcript: { type: 'boolean', about: 'print what was said' } },
      check: ({ argument }) => missing(call, argument),
      act: async (operator, { argument, transcript }) => {
        const details = await operator.details(argument!)
        if (!details) throw new EndwellError('NO_SUCH_SESSION', `there is no call '${argument}'`)
        return { value: details, lines: linesOf(details, transcript) }
      },
    },
    args,
  )
}

function linesOf({ summary, report: written, text }: SessionDetails, transcript: boolean): string[] {
  if (!written) return [`call ${summary.id} is ${summary.state}: its report is written when it ends`]
  const said = transcript ? ['', ...written.transcript.flatMap(sayingOf)] : []
  return [...(text ?? '').trimEnd().split('\n'), ...said]
}

function sayingOf(item: HistoryItem): string[] {
  if (item.type === 'message') return [`${item.role}: ${item.text}`]
  return item.type === 'tool' ? [`tool: ${item.name}`] : []
}

export function close(args: readonly string[]): Promise<void> {
  return runOperatorCommand(
    {
      name: 'endwell close',
      summary: 'Closes a call, whichever process serves it. Does not wait: the report says how it went.',
      argument: call,
      options: {},
      check: ({ argument }) => missing(call, argument),
      act: async (operator, { argument }) => {
        const how = await operator.closeCall(argument!)
        const text =
          how === 'closing'
            ? `call ${argument} is closing`
            : `the process of call ${argument} was not reached: it finds the order in the journal`
        return { value: { call: argument, [how]: true }, lines: [text] }
      },
    },
    args,
  )
}
