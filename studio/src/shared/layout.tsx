import type { ComponentChildren } from 'preact'
import './layout.css'

/** The content of a page: panels below each other. */
export function View({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return <div class={`view ${name}`}>{children}</div>
}

interface ColumnsProps {
  readonly children: ComponentChildren
  readonly side?: ComponentChildren
  /** Below the main column, next to each other if there is room. */
  readonly below?: ComponentChildren
}

/** A main column, with a side column next to it on wide screens and below it on others. */
export function Columns({ children, side, below }: ColumnsProps) {
  return (
    <div class="columns">
      {children}
      {side && <div class="side">{side}</div>}
      {below && <div class="below">{below}</div>}
    </div>
  )
}
