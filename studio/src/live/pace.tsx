import { timeText } from '../shared/texts.ts'
import { paceOf, paceSigns } from './latency-figures.ts'
import './pace.css'

/** A response time, with a sign and a colour for how fast it was. */
export function Pace({ ms }: { readonly ms: number }) {
  const pace = paceOf(ms)
  return (
    <span class={`pace ${pace}`}>
      <span aria-hidden="true">{paceSigns[pace]}</span> {timeText(ms)}
      <span class="sr">, {pace}</span>
    </span>
  )
}
