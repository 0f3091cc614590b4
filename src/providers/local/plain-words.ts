const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const ONES = SMALL.split(' ')
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty']

const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\bcan't\b/g, 'can not'],
  [/\bwon't\b/g, 'will not'],
  [/\blet's\b/g, 'let us'],
  [/n't\b/g, ' not'],
  [/\b(i)'m\b/g, '$1 am'],
  [/'re\b/g, ' are'],
  [/'ve\b/g, ' have'],
  [/'ll\b/g, ' will'],
  [/\b(i|we|you|they|he|she)'d\b/g, '$1 would'],
  [/\b(what|when|where|who|how|that|it|there)'s\b/g, '$1 is'],
  [/\bcannot\b/g, 'can not'],
]

/**
 * Normalises a text so that typed and spoken text can be compared: lower case, no punctuation, no contractions, numbers
 * and times in words. Text in square brackets is removed, since it was not spoken.
 */
export function plainWords(text: string): string {
  let plain = text
    .toLowerCase()
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll('’', "'")
    .replaceAll(/\b(\d{1,2})[:.](\d{2})\b/g, (_, hour: string, minute: string) => `${hour} ${minute}`)
    .replaceAll(/(?<=\d) ?[ap]\.?m\b\.?/g, ' ')
  for (const [pattern, words] of CONTRACTIONS) plain = plain.replaceAll(pattern, words)
  return plain
    .replaceAll(/\d+/g, (digits) => ` ${inWords(digits)} `)
    .replaceAll(/[^\p{L}\p{N}']+/gu, ' ')
    .trim()
}

/** Numbers up to 59, as times need them, and digit by digit beyond. `00` is the minute of a full hour and not spoken. */
function inWords(digits: string): string {
  if (digits === '00') return ''
  const number = Number(digits)
  if (number < 20) return ONES[number]!
  const ten = TENS[Math.floor(number / 10)]
  if (ten === undefined) return Array.from(digits, (digit) => ONES[Number(digit)]).join(' ')
  return number % 10 === 0 ? ten : `${ten} ${ONES[number % 10]}`
}
