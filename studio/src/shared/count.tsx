import type { ComponentChildren } from 'preact'
import './count.css'

/** A small number next to a title. */
export function Count({ bad = false, children }: { bad?: boolean; children: ComponentChildren }) {
  return <span class={bad ? 'count bad' : 'count'}>{children}</span>
}
