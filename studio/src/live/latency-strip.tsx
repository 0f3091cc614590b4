import { medianOf, timeText } from '../shared/texts.ts'
import './latency-strip.css'

/** The latency of the tallest bar. Longer ones are cut off there. */
const TALLEST = 2_500
/** How many turns are shown. */
const SHOWN = 24

/** The response latency of each turn. */
export function LatencyStrip({ latencies }: { readonly latencies: readonly number[] }) {
  const median = medianOf(latencies)
  const last = latencies.at(-1)
  return (
    <div class="latency">
      <h3>Response latency</h3>
      {median === undefined || last === undefined ? (
        <p class="quiet">No turns yet</p>
      ) : (
        <>
          <ol class="strip" aria-label="Response latency per turn, in milliseconds">
            {latencies.slice(-SHOWN).map((ms, index) => (
              <li key={index} style={{ '--height': String(Math.min(1, ms / TALLEST)) }}>
                <span class="bar" aria-hidden="true" />
                <span>{Math.round(ms)}</span>
              </li>
            ))}
          </ol>
          <p class="quiet">
            last {timeText(last)} · median {timeText(median)}
          </p>
        </>
      )}
    </div>
  )
}
