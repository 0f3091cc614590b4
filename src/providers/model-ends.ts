import type { PartContext } from '../parts/index.ts'

/**
 * The days on which vendors end their models, by vendor. A name stands for its dated versions, too, unless they have an
 * entry of their own. A test compares this table with the vendors' SDKs, and every default with this table.
 */
const endings: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  openai: {
    '2026-10-23': ['gpt-4.1-nano', 'gpt-4o-2024-05-13', 'gpt-4', 'gpt-4-turbo', 'gpt-3.5-turbo', 'o4-mini'],
    '2026-12-11': ['gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'gpt-5-pro', 'o3', 'o3-pro'],
    '2027-01-06': ['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts'],
    '2027-01-14': ['gpt-4.1', 'gpt-4.1-mini', 'gpt-4o', 'gpt-4o-mini'],
    '2027-01-20': ['gpt-realtime', 'gpt-realtime-mini', 'gpt-audio-mini'],
    '2027-02-26': ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'gpt-4o-transcribe-diarize'],
    '2027-04-01': ['gpt-5.1', 'gpt-5.4-nano'],
  },
}

const DAY = 24 * 60 * 60 * 1_000
/** A model is warned about from this long before its end. */
const NOTICE = 180 * DAY

const ends: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(endings).map(([vendor, dates]) => [
    vendor,
    new Map(Object.entries(dates).flatMap(([date, models]) => models.map((model) => [model, date]))),
  ]),
)

/** All models with an announced end, by vendor. */
export const endingModels = (vendor: string): readonly string[] => [...(ends.get(vendor)?.keys() ?? [])]

/** The day on which the vendor ends a model, such as `2027-01-20`; undefined if none is announced. */
export function endOfModel(vendor: string, model: string): string | undefined {
  const models = ends.get(vendor)
  return models?.get(model) ?? models?.get(model.replace(/-\d{4}-\d{2}-\d{2}$/, ''))
}

/** Warns once if a model ends soon, or has ended. */
export class ModelEndWarning {
  readonly #part: string
  readonly #model: string
  readonly #ends: string | undefined
  #warned = false

  constructor(part: string, vendor: string | undefined, model: string) {
    this.#part = part
    this.#model = model
    this.#ends = vendor === undefined ? undefined : endOfModel(vendor, model)
  }

  /** To be called when the part is opened. */
  warn({ scope, logger }: PartContext): void {
    if (this.#warned || this.#ends === undefined) return
    const left = Date.parse(this.#ends) - scope.clock.date()
    if (left > NOTICE) return
    this.#warned = true
    const fields = { part: this.#part, model: this.#model, ends: this.#ends }
    if (left > 0) logger.warn(fields, 'the vendor ends this model soon: choose another')
    else logger.warn(fields, 'the vendor has ended this model: choose another')
  }
}
