import type { ComponentChildren, RefObject } from 'preact'
import './panel.css'

interface PanelProps {
  /** Names the panel for CSS, and its title for `aria-labelledby`. */
  readonly name: string
  readonly title: string
  /** Whether the title is the heading of the page. Default: false. */
  readonly main?: boolean
  readonly modifier?: string
  /** Gives access to the title, which can then take the focus. */
  readonly titleRef?: RefObject<HTMLHeadingElement | null>
  /** Next to the title. */
  readonly aside?: ComponentChildren
  readonly children?: ComponentChildren
}

/** A box with a title. */
export function Panel({ name, title, main = false, modifier = '', titleRef, aside, children }: PanelProps) {
  const Heading = main ? 'h1' : 'h2'
  const id = `${name}-title`
  return (
    <section class={`panel ${name} ${modifier}`} aria-labelledby={id}>
      <header>
        <Heading id={id} {...(titleRef ? { ref: titleRef, tabIndex: -1 } : {})}>
          {title}
        </Heading>
        {aside}
      </header>
      {children}
    </section>
  )
}
