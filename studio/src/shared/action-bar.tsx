import type { ComponentChildren } from 'preact'
import './action-bar.css'

/** A row of small buttons. `done` confirms the last action. */
export function ActionBar({ done, children }: { done?: string; children: ComponentChildren }) {
  return (
    <div class="actions">
      {done !== undefined && <span class="done">{done}</span>}
      {children}
    </div>
  )
}
