import { element, picture, text, type Theme } from './svg.ts'

/** What `npm run bench -- peers --json` prints, as far as the chart needs it. */
export interface PeersOutcome {
  readonly node: string
  readonly versions: Readonly<Record<string, string>>
  readonly medians: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** The rows of the chart: the figure, what it is, and its unit. */
const rows = [
  ['close', 'healthy close', 'ms'],
  ['exit', 'process exit after the close', 'ms'],
  ['reply', 'reply to first frame', 'ms'],
  ['install', 'install', 'MB'],
  ['closeMany', '200 closes at once', 'ms'],
  ['importWall', 'import', 'ms'],
  ['start', 'start of a session', 'ms'],
  ['heap', 'heap of an idle session', 'KB'],
  ['interrupt', 'interrupt to silence', 'ms'],
] as const

const OURS = 'endwell'
const THEIRS = '@livekit/agents'

const WIDTH = 760
const LEFT = 200
const RIGHT = 90
const TOP = 58
const ROW = 40
const BAR = 13

/** Both frameworks, figure by figure, on a logarithmic scale of its own: the length is a multiple of the shorter bar's value. */
export function peersChart({ node, versions, medians }: PeersOutcome, theme: Theme): string {
  const all = rows.flatMap(([figure, title, unit]) => {
    const [ours, theirs] = [medians[OURS]?.[figure], medians[THEIRS]?.[figure]]
    return ours === undefined || theirs === undefined ? [] : [{ title, unit, ours, theirs }]
  })
  const most = Math.max(...all.map(({ ours, theirs }) => Math.max(ours, theirs) / Math.min(ours, theirs)))
  // A value is one decade long at least, so that a bar is seen even if it is the shorter one.
  const lengthOf = (value: number, least: number): number =>
    ((1 + Math.log10(value / least)) / (1 + Math.log10(most))) * (WIDTH - LEFT - RIGHT)
  const bars = all.flatMap(({ title, unit, ours, theirs }, index) => {
    const y = TOP + index * ROW
    const least = Math.min(ours, theirs)
    const bar = (value: number, at: number, fill: string): string[] => [
      element('rect', { x: LEFT, y: at, width: lengthOf(value, least), height: BAR, rx: 2, fill }),
      text(LEFT + lengthOf(value, least) + 6, at + BAR - 2, `${shown(value)} ${unit}`, { 'font-size': 12 }),
    ]
    return [
      text(LEFT - 12, y + BAR + 5, title, { 'text-anchor': 'end' }),
      ...bar(ours, y, theme.accent),
      ...bar(theirs, y + BAR + 2, theme.other),
    ]
  })
  const legend = (x: number, fill: string, name: string): string[] => [
    element('rect', { x, y: 22, width: 12, height: 12, rx: 2, fill }),
    text(x + 18, 32, name),
  ]
  const bottom = TOP + all.length * ROW + 14
  const notes = `Logarithmic, one scale per row. Models that cost nothing, Node ${node.replace('v', '')}: npm run bench -- peers`
  return picture(
    { width: WIDTH, height: bottom + 20 },
    theme,
    'What the same work costs in both frameworks',
    [
      ...legend(LEFT, theme.accent, 'endwell'),
      ...legend(LEFT + 100, theme.other, `${THEIRS} ${versions[THEIRS] ?? ''}`.trim()),
      ...bars,
      text(20, bottom, notes, { fill: theme.soft, 'font-size': 12 }),
    ],
  )
}

function shown(value: number): string {
  const digits = value < 1 ? 2 : value < 10 ? 1 : 0
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
