import type { ComponentChildren } from 'preact'
import './notice.css'

interface NoticeProps {
  readonly tone: 'bad' | 'warn' | 'good'
  readonly title: string
  readonly children?: ComponentChildren
  readonly action?: { readonly text: string; readonly press: () => void }
}

/** A problem and what to do about it, or good news. */
export function Notice({ tone, title, children, action }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <div>
        <strong>{title}</strong>
        {children && <p>{children}</p>}
      </div>
      {action && (
        <button type="button" onClick={action.press}>
          {action.text}
        </button>
      )}
    </div>
  )
}
