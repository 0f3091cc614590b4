import type { Spent } from '../../../src/host/wire/index.ts'
import type { CostReport } from '../../../src/session/index.ts'
import { Panel } from '../shared/panel.tsx'
import { costText, moneyText } from '../shared/texts.ts'
import './usage-and-cost.css'

type Usage = Spent['usage']['models'][string]

/** What each unit is called. Tokens and characters are counted, sound is measured. */
const units: readonly (readonly [keyof Usage, string])[] = [
  ['inputTokens', 'tokens in'],
  ['cachedTokens', 'of them cached'],
  ['outputTokens', 'tokens out'],
  ['audioSeconds', 's of audio'],
  ['characters', 'characters'],
  ['spokenSeconds', 's spoken'],
]

/** What a call has used and cost, in total and by model. */
export function UsageAndCost({ spent }: { readonly spent: Spent | undefined }) {
  const { usage, cost } = spent ?? {}
  const models = Object.entries(usage?.models ?? {}).filter(([, used]) => usageText(used) !== '')
  return (
    <Panel
      name="usage"
      title="Cost"
      aside={
        models.length > 0 && (
          <span class={cost ? 'total' : 'total quiet'}>{cost ? costText(cost) : 'no prices'}</span>
        )
      }
    >
      {models.length === 0 && <p class="empty">What the call uses, and what that costs, appears here.</p>}
      {models.length > 0 && (
        <ul>
          {models.map(([name, used]) => (
            <li key={name}>
              <span class="model">{name}</span> <span class="money">{modelCost(name, cost)}</span>{' '}
              <span class="used">{usageText(used)}</span>
            </li>
          ))}
        </ul>
      )}
      {models.length > 0 && cost?.currency !== undefined && (
        <p class="estimate">Estimated from list prices, without discounts.</p>
      )}
    </Panel>
  )
}

function usageText(used: Usage): string {
  return units
    .flatMap(([unit, name]) => {
      const amount = Number((used[unit] ?? 0).toFixed(1))
      return amount > 0 ? [`${amount.toLocaleString('en')} ${name}`] : []
    })
    .join(' · ')
}

/** A model without a price is said to have none: it did not cost 0. */
function modelCost(name: string, cost: CostReport | undefined): string {
  if (!cost) return ''
  const known = cost.models[name]
  const isPartial = cost.unpriced.includes(name)
  if (known === undefined || (known === 0 && isPartial)) return 'no price known'
  return `${moneyText(known, cost.currency)}${isPartial ? ', and more without a price' : ''}`
}
