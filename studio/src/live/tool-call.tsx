import { useState } from 'preact/hooks'
import { timeText } from '../shared/texts.ts'
import type { ToolEntry } from './conversation.ts'
import './tool-call.css'

/** A result up to this length is shown without unfolding it. */
const SHORT = 90

const states = { running: 'running', done: 'done', failed: 'failed' } as const

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
        <span class="how">{states[how]}</span>
        {endedAt !== undefined && <span class="took">{timeText(endedAt - at)}</span>}
        {approval === 'approved' && <span class="took">approved</span>}
        {approval === 'refused' && <span class="how">not approved</span>}
      </p>
      {detail !== '' && (isShort || how === 'running') && <p class="detail">{detail}</p>}
      {approval === 'waiting' && how === 'running' && <Approval name={name} decide={decide} />}
      {parts.length > 0 && (
        <details>
          <summary>
            {parts
              .map(([title]) => title)
              .join(' and ')
              .replace('and R', 'and r')}
          </summary>
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

function Approval({ name, decide }: { readonly name: string; readonly decide: ToolCallProps['decide'] }) {
  const [failure, setFailure] = useState('')
  if (!decide) return <p class="approval">Waiting for approval</p>
  const press = (approved: boolean) => (): void => {
    setFailure('')
    decide(approved).catch((error: Error) => setFailure(error.message))
  }
  return (
    <div class="approval" role="group" aria-label={`Approval of ${name}`}>
      <span>The agent wants to do this. May it?</span>
      <button type="button" class="primary" onClick={press(true)}>
        Approve
      </button>
      <button type="button" onClick={press(false)}>
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
