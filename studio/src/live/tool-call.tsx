import { useState } from 'preact/hooks'
import { timeText } from '../shared/texts.ts'
import type { ToolEntry } from './conversation.ts'
import './tool-call.css'

/** A result up to this length is shown without unfolding it. */
const SHORT = 90

interface ToolCallProps {
  readonly entry: ToolEntry
  /** Absent if the page cannot decide about the call. */
  readonly decide?: ((approved: boolean) => Promise<void>) | undefined
}

/** A tool call: its state, its duration and, folded, its arguments and its result. */
export function ToolCall({ entry, decide }: ToolCallProps) {
  const { name, input, how, detail, at, endedAt, approval } = entry
  const isShort = detail.length <= SHORT && !detail.includes('\n') && !isObject(detail)
  const parts = [
    ...(input === '' || input === '{}' ? [] : [['Arguments', input] as const]),
    ...(isShort || how === 'running' ? [] : [['Result', detail] as const]),
  ]
  return (
    <div class={`aside tool-call ${how}`}>
      <p class="call-line">
        <code>{name}</code>
        <span class="how">{stateOf(entry)}</span>
        {endedAt !== undefined && <span class="took">{timeText(endedAt - at)}</span>}
        {approval === 'approved' && <span class="took">approved</span>}
      </p>
      {detail !== '' && (isShort || how === 'running') && <p class="detail">{detail}</p>}
      {approval === 'waiting' && how === 'running' && <Approval name={name} decide={decide} />}
      {parts.length > 0 && (
        <details>
          <summary>{parts.length > 1 ? 'Arguments and result' : parts[0]![0]}</summary>
          {parts.map(([title, text]) => (
            <div key={title}>
              {parts.length > 1 && <h4>{title}</h4>}
              <pre tabIndex={0}>{pretty(text)}</pre>
            </div>
          ))}
        </details>
      )}
    </div>
  )
}

function stateOf({ how, approval }: ToolEntry): string {
  if (how === 'running') return approval === 'waiting' ? 'waits for approval' : 'running'
  if (how === 'stuck') return 'did not stop'
  if (how === 'stopped') return approval === 'refused' ? 'not approved' : 'cancelled'
  return how
}

function Approval({ name, decide }: { readonly name: string; readonly decide: ToolCallProps['decide'] }) {
  const [failure, setFailure] = useState('')
  const [busy, setBusy] = useState(false)
  if (!decide) return null
  const press = (approved: boolean) => (): void => {
    setFailure('')
    setBusy(true)
    decide(approved)
      .catch((error: Error) => setFailure(error.message))
      .finally(() => setBusy(false))
  }
  return (
    <div class="approval" role="group" aria-label={`Approval of ${name}`}>
      <span>May the agent do this?</span>
      <button type="button" class="approve" disabled={busy} onClick={press(true)}>
        Approve
      </button>
      <button type="button" disabled={busy} onClick={press(false)}>
        Refuse
      </button>
      {failure !== '' && <span role="alert">{failure}</span>}
    </div>
  )
}

const isObject = (text: string): boolean => /^\s*[[{]/.test(text)

/** JSON with line breaks; any other text as it is. */
export function pretty(text: string): string {
  if (!isObject(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
