import { OptionError } from '../../scope/index.ts'
import { fillSlots, parsePhrase, type Phrase, type PhraseSlots } from './phrase.ts'

/** The values of a slot: a list of phrases, or an object of phrases and the values they stand for. */
export type Slot = readonly string[] | Readonly<Record<string, string>>

/** The days of the week, today and tomorrow. */
export const days: Slot = {
  monday: 'Monday',
  tuesday: 'Tuesday',
  wednesday: 'Wednesday',
  thursday: 'Thursday',
  friday: 'Friday',
  saturday: 'Saturday',
  sunday: 'Sunday',
  today: 'today',
  tomorrow: 'tomorrow',
}

const HOURS = 'seven eight nine ten eleven twelve one two three four five six seven'.split(' ')

/** The quarter hours of a working day, from 7 am to 6:45 pm. */
export const times: Slot = Object.fromEntries(
  HOURS.slice(0, -1).flatMap((hour, index) => {
    const number = ((index + 6) % 12) + 1
    const half = index < 5 ? 'am' : 'pm'
    return [
      [`${hour} [o'clock]`, `${number} ${half}`],
      [`${hour} fifteen|quarter past ${hour}`, `${number}:15 ${half}`],
      [`${hour} thirty|half past ${hour}`, `${number}:30 ${half}`],
      [`${hour} forty five|quarter to ${HOURS[index + 1]}`, `${number}:45 ${half}`],
    ]
  }),
)

/** A value of a slot, and the phrase that stands for it. */
export interface SlotValue {
  readonly phrase: Phrase
  readonly value: string
}

/** Reads the values of every slot. A value may use the slots before it. */
export function readSlots(slots: Readonly<Record<string, Slot>>): {
  readonly values: ReadonlyMap<string, readonly SlotValue[]>
  readonly phrases: PhraseSlots
} {
  const values = new Map<string, readonly SlotValue[]>()
  const phrases: Record<string, Phrase> = {}
  for (const [name, slot] of Object.entries(slots)) {
    if (!/^[a-z_]\w*$/i.test(name))
      throw new OptionError(`'${name}' is not a valid slot name: use letters, digits and _`)
    const entries = Array.isArray(slot)
      ? (slot as readonly string[]).map((each) => [each, each] as const)
      : Object.entries(slot)
    if (entries.length === 0) throw new OptionError(`slot '${name}' has no values`)
    const read = entries.map(([text, value]) => ({
      phrase: fillSlots(parsePhrase(text), phrases, text),
      value,
    }))
    values.set(name, read)
    phrases[name] = { type: 'choice', parts: read.map(({ phrase }) => phrase) }
  }
  return { values, phrases }
}
