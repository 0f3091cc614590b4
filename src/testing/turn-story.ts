import { inspect } from 'node:util'
import { describeError } from '../scope/index.ts'
import type { TurnEntry, TurnEvent } from './turn-event.ts'

/** The maximum length of a value in a story. */
const LONGEST_VALUE = 300

/** Formats a value in one line. */
export function show(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'a matching value' : value.name
  const text = inspect(value, { breakLength: Infinity, depth: 6 })
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`
}

type Row = readonly [who: string, what: string]

const rows: { readonly [Type in TurnEvent['type']]: (event: Extract<TurnEvent, { type: Type }>) => Row } = {
  message: ({ agent, text, interrupted }) => [agent ?? 'agent', `${text}${interrupted ? ' —' : ''}`],
  toolCall: (call) => [
    call.mocked ? `${call.name} (mock)` : call.name,
    `${show(call.input)} → ${endOf(call)}`,
  ],
  handoff: ({ from, to }) => ['handoff', `${from} → ${to}`],
  keys: ({ agent, keys, interrupted }) => [agent ?? 'agent', `presses ${keys}${interrupted ? ' —' : ''}`],
  guardrail: ({ name, on, verdict }) => [`guardrail ${name}`, `stops the ${on}: ${verdict}`],
  approval: ({ name, input }) => ['approval', `pending for ${name} ${show(input)}`],
  digits: ({ digits }) => ['digits', digits],
  error: (failure) => ['error', errorText(failure)],
  closed: ({ reason }) => ['closed', reason],
}

/** The two columns of an event: who, and what. */
function rowOf(event: TurnEvent): Row {
  const row = rows[event.type] as (event: TurnEvent) => Row
  return row(event)
}

function entryRow({ event, why }: TurnEntry): Row {
  if (why === undefined) return rowOf(event)
  if (event.type === 'toolCall') return rowOf({ ...event, output: why })
  return event.type === 'error' ? rowOf({ ...event, error: why }) : rowOf(event)
}

/** An error as text: where it occurred, and its message. */
export function errorText({ where, error }: { readonly where: string; readonly error: unknown }): string {
  return `${where}: ${describeError(error).message}`
}

/** Formats an event in one line. */
export function lineOf(event: TurnEvent): string {
  return rowOf(event).join(': ')
}

/** Formats a turn, one line per event. Expected events have a tick. */
export function storyOf(
  opening: string,
  entries: readonly TurnEntry[],
  expected: ReadonlySet<string> = new Set(),
): string {
  const lines = [
    [' ', 'caller', opening],
    ...entries.map((entry) => [expected.has(entry.key) ? '✓' : ' ', ...entryRow(entry)]),
  ]
  const width = Math.max(...lines.map(([, who]) => who!.length))
  return lines.map(([tick, who, what]) => `${tick} ${who!.padEnd(width)}  ${what}`).join('\n')
}

function endOf({ how, output }: Extract<TurnEvent, { type: 'toolCall' }>): string {
  if (how === 'running') return 'still running'
  if (how === 'failed') return `failed: ${String(output)}`
  return show(output)
}
