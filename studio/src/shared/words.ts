// The names that the runtime gives to what a call owns, in words for people.

const abbreviations: ReadonlySet<string> = new Set(['stt', 'llm', 'tts', 'vad'])

/** The parts of a session that sort what it owns, and the headings that replace them. */
export const sections = {
  work: 'Work in progress',
  links: 'Connections',
  stores: 'Hooks, recording and toolsets',
} as const

/** Names that mean nothing to people, and what is shown instead. Other names are those of the agent file, and stay. */
const labels: readonly (readonly [RegExp, string])[] = [
  [/^session .*$/, 'call'],
  [/^recorder$/, 'recording'],
  [/^speech \d+$/, 'speaking'],
  [/^reply \d+$/, 'answering'],
  [/^turn \d+$/, 'end of the caller’s turn'],
  [/^(\S*stt) speech$/, 'speech detection of $1'],
  [/^(\w+ hook) of '(.*)'$/, '$1 of $2'],
  [/^speech of '(.*)'$/, 'synthesis by $1'],
  [/^startTimeout of '(.*)'$/, 'time limit to open $1'],
  [/^timeout of (tool )?'?(.*?)'?$/, 'time limit of $1$2'],
  [/^input of (.*)$/, 'input and approval'],
  [/^filler of tool '(.*)'$/, 'filler of tool $1'],
  [/^speech: playout \d+$/, 'time limit of speaking'],
  [/^speech: stall$/, 'time limit of a silent voice'],
  [/^ping$/, 'next ping'],
  [/^the peer takes more$/, 'room in the connection'],
  [/^rtvi$/, 'RTVI client'],
  [/^webrtc$/, 'WebRTC'],
]

/** A label: `STT`, `speaking`, `recording`, `tool book`. */
export function nameText(name: string): string {
  if (abbreviations.has(name)) return name.toUpperCase()
  return replaced(name, labels) ?? name
}

function replaced(name: string, texts: readonly (readonly [RegExp, string])[]): string | undefined {
  const [pattern, text] = texts.find(([each]) => each.test(name)) ?? []
  return pattern && text !== undefined ? name.replace(pattern, text) : undefined
}

/** What a sentence calls it, if not its label. */
const subjects: readonly (readonly [RegExp, string])[] = [
  [/^the (.*)$/, '$1'],
  [/^(speech( \d+)?|say)$/, 'agent’s speech'],
  [/^press$/, 'pressing of keys'],
  [/^last words$/, 'goodbye'],
  [/^closing: (.*)$/, 'step $1 of the close'],
  [/^reply \d+$/, 'answer of the model'],
  [/^(browser|phone|rtvi|webrtc|line)$/, 'connection to the caller'],
]

/** The subject of a sentence, after `the`: `STT`, `agent’s speech`, `connection to the caller`. */
export function subjectText(name: string): string {
  return replaced(name, subjects) ?? nameText(name)
}

const outcomes: Readonly<Record<string, string>> = {
  done: 'closed',
  ended: 'finished',
  cancelled: 'stopped',
  clean: 'closed',
  closer: 'ended the call',
  abandoned: 'did not stop',
  'timed-out': 'cut off',
  skipped: 'no time left',
  pending: 'still closing',
  failed: 'failed',
  'not clean': 'not clean',
}

/** How something ended, in a word or two. */
export const outcomeText = (outcome: string): string => outcomes[outcome] ?? outcome
