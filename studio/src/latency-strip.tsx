import { medianOf, timeText } from './texts.ts'

/** The highest bar: what takes longer is cut, and says so by its number. */
const TALLEST = 2_500
/** Turns that are drawn. */
const SHOWN = 24

/** How long each answer took to come, turn by turn. */
export function LatencyStrip({ latencies }: { readonly latencies: readonly number[] }) {
  const median = medianOf(latencies)
  const last = latencies.at(-1)
  return (
    <div class="latency">
      <h3>Time to answer</h3>
      {median === undefined || last === undefined ? (
        <p class="quiet">No turn yet</p>
      ) : (
        <>
          <ol class="strip" aria-label="Time to answer, turn by turn">
            {latencies.slice(-SHOWN).map((ms, index) => (
              <li key={index} style={{ '--height': String(Math.min(1, ms / TALLEST)) }}>
                <span class="bar" aria-hidden="true" />
                <span class="ms">{Math.round(ms)}</span>
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
