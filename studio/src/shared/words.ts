// The names that the runtime gives to what a session owns, in words for people.

const abbreviations: ReadonlySet<string> = new Set(['stt', 'llm', 'tts', 'vad'])

/** The parts of a session that sort what it owns, and the headings that replace them. */
export const sections = {
  work: 'Work in progress',
  links: 'Connections',
  stores: 'Hooks, recording and toolsets',
} as const

/** `STT`, `agent’s speech 6`, `answer 2`, `recording`. Other names are those of the agent file, and stay as they are. */
export function nameText(name: string): string {
  if (abbreviations.has(name)) return name.toUpperCase()
  if (name === 'recorder') return 'recording'
  const [, kind, number] = /^(speech|reply) (\d+)$/.exec(name) ?? []
  if (kind === undefined) return name
  return kind === 'speech' ? `agent’s speech ${number}` : `answer ${number}`
}

const outcomes: Readonly<Record<string, string>> = {
  done: 'closed',
  ended: 'finished',
  cancelled: 'stopped',
  clean: 'closed',
  closer: 'asked for the close',
  abandoned: 'did not stop',
  'timed-out': 'cut off',
  skipped: 'no time left',
  pending: 'still closing',
  failed: 'failed',
  'not clean': 'not clean',
}

/** How something ended, in a word or two. */
export const outcomeText = (outcome: string): string => outcomes[outcome] ?? outcome
