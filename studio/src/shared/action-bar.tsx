import type { ComponentChildren } from 'preact'
import './action-bar.css'

/** A row of small buttons. */
export function ActionBar({ children }: { readonly children: ComponentChildren }) {
  return <div class="actions">{children}</div>
}
