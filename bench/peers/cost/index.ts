import type { Bench, Contestant, Mark } from '../../bench.ts'
import { measureCosts } from './measure-costs.ts'

/** The module is loaded by its URL, because those of other frameworks are compiled only when their packages are installed. */
function contestant(path: string, name?: string): Contestant {
  const module = new URL(path, import.meta.url).href
  const measure = (): ReturnType<typeof measureCosts> => measureCosts(module)
  return { ...(name === undefined ? {} : { package: name }), load: async () => ({ measure }) }
}

export const peers: Bench = {
  summary:
    'The same work in endwell and in other frameworks, from npm and as their documentation says to use them.',
  notes: [
    'Times are the lower quartile of many sessions in a process, then the median of the rounds.',
    'Models cost nothing: objects in the process that answer at once, or a server on loopback in a process of its own that does.',
    'Sound is 24 kHz both ways, in frames of 20 ms. No contestant has a room or a microphone, only its own input and output.',
    'import: in a new process, without the start of Node; memory is the resident set with Node. install: the package with all that it',
    'depends on. program: from the start of `node` until its first session is ready. reply: from the request to the first frame.',
    'interrupt: from the call until the output has to stop. close: until it has resolved and its connection is closed. exit: from the',
    'end of the last close until the process exits on its own. heap: of 200 idle sessions, and what is left once they have closed and',
    'no timer runs. Each sample has its own process, and the order rotates.',
  ],
  figures: {
    importWall: { title: 'import', unit: 'ms', digits: 0 },
    importCpu: { title: 'import, CPU', unit: 'ms', digits: 0 },
    importMemory: { title: 'import, memory', unit: 'MB', digits: 0 },
    install: { title: 'install', unit: 'MB', digits: 1 },
    packages: { title: 'install', unit: 'packages', digits: 0 },
    ready: { title: 'program', unit: 'ms', digits: 0 },
    start: { title: 'start of a session', unit: 'ms', digits: 3 },
    reply: { title: 'reply', unit: 'ms', digits: 3 },
    interrupt: { title: 'interrupt', unit: 'ms', digits: 3 },
    close: { title: 'close', unit: 'ms', digits: 3 },
    exit: { title: 'exit', unit: 'ms', digits: 0 },
    heap: { title: 'heap, open', unit: 'KB per session', digits: 1 },
    kept: { title: 'heap, closed', unit: 'KB per session', digits: 2 },
    closeMany: { title: '200 closes at once', unit: 'ms', digits: 0 },
  },
  contestants: {
    endwell: contestant('endwell-pipeline.js'),
    '@livekit/agents': contestant('../livekit/cost.js', '@livekit/agents'),
    'endwell with OpenAI': contestant('endwell-openai.js'),
    '@openai/agents-realtime': contestant('../openai/cost.js', '@openai/agents-realtime'),
    'endwell with Gemini': contestant('endwell-gemini.js'),
    '@google/genai': contestant('../google/cost.js', '@google/genai'),
  },
  pairs: [
    { title: 'LLM and TTS', ours: 'endwell', theirs: '@livekit/agents' },
    { title: 'OpenAI realtime', ours: 'endwell with OpenAI', theirs: '@openai/agents-realtime' },
    { title: 'Gemini live', ours: 'endwell with Gemini', theirs: '@google/genai' },
  ],
  absent: {
    '@google/genai': {
      interrupt: 'the client has no call for it; the server interrupts when it hears the caller',
    },
  },
  packages: 'peers',
  marks: [
    ...cheaper('endwell', '@livekit/agents', {
      importCpu: 6,
      importMemory: 1.8,
      install: 15,
      ready: 5,
      start: 6,
      reply: 15,
      interrupt: 1.5,
      close: 500,
      exit: 20,
      heap: 5,
      closeMany: 10,
    }),
    // The clients of OpenAI and Google pass messages on. A session also has a line, a history, a deadline and a report.
    ...cheaper('endwell with OpenAI', '@openai/agents-realtime', {
      importCpu: 1.5,
      importMemory: 1.2,
      install: 4,
    }),
    { figure: 'heap', of: 'endwell with OpenAI', against: '@openai/agents-realtime', timesAsMuch: 4 },
    ...cheaper('endwell with Gemini', '@google/genai', { install: 2 }),
    { figure: 'heap', of: 'endwell with Gemini', against: '@google/genai', timesAsMuch: 9 },
  ],
}

/** Marks for how many times less endwell takes, by figure. */
function cheaper(of: string, against: string, times: Readonly<Record<string, number>>): Mark[] {
  return Object.entries(times).map(([figure, timesCheaper]) => ({ figure, of, against, timesCheaper }))
}
