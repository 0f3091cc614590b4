import type { Case } from './run-case.ts'

/**
 * Ways in which other voice frameworks were seen to hang, leak or stop half-way when they close, by the names they were
 * reported under. `here` is our name for the part, if it differs.
 */
const named: Readonly<
  Record<string, Omit<Case, 'name' | 'group' | 'trigger'> & { trigger?: string; here?: string }>
> = {
  // tools and turns
  'tool-ignores-signal': { moment: 'tool', step: 'task:lookup', fault: 'ignore-signal' },
  'cancellable-tool-ignores-signal': { moment: 'tool', step: 'task:lookup', fault: { late: 20_000 } },
  'tool-ignores-signal-then-drain': { moment: 'tool', trigger: 'drain', step: 'task:lookup', fault: 'hang' },
  'llm-stage-never-settles': {
    moment: 'thinking',
    step: 'task:reply 1',
    fault: 'hang',
    here: 'the task `reply`',
  },
  'transcript-stage-never-settles': {
    moment: 'thinking',
    step: 'task:turn 1',
    fault: 'hang',
    here: 'the task `turn`',
  },
  'turn-hook-never-returns': { moment: 'thinking', step: "task:turn hook of 'desk'", fault: 'hang' },
  // hooks and listeners
  'exit-hook-never-returns': { moment: 'listening', step: "task:exit hook of 'desk'", fault: 'hang' },
  'enter-hook-never-returns': { moment: 'greeting', step: "task:enter hook of 'desk'", fault: 'hang' },
  'exit-hook-throws': { moment: 'listening', step: "task:exit hook of 'desk'", fault: 'throw' },
  'closed-listener-throws': {
    moment: 'listening',
    tamper: ({ session }) => {
      session.on('closed', () => {
        throw new Error('listener')
      })
    },
  },
  // LLM and TTS
  'llm-stream-ignores-signal': {
    moment: 'thinking',
    call: { llm: { firstAfter: 20_000, ignoresSignal: true } },
  },
  'llm-stream-close-hangs': { moment: 'speaking', step: 'close:llm', fault: 'hang' },
  'tts-stream-ignores-signal': { moment: 'speaking', call: { tts: { ignoresSignal: true, speed: 1 } } },
  'tts-never-yields': { moment: 'speaking', call: { tts: { stallAfter: 0, ignoresSignal: true } } },
  'tts-stage-cancel-hangs': {
    moment: 'speaking',
    step: 'task:speech 2',
    fault: { late: 20_000 },
    here: 'the task `speech`',
  },
  'llm-stage-cancel-hangs': {
    moment: 'speaking',
    step: 'task:reply 1',
    fault: { late: 20_000 },
    here: 'the task `reply`',
  },
  'llm-in-backoff': {
    moment: 'starting',
    step: 'open:llm',
    fault: 'hang',
    here: 'a part that is being opened',
  },
  'recoverable-error-no-listener': {
    moment: 'thinking',
    call: { llm: { answers: () => [{ fail: new Error('overloaded') }] } },
  },
  // STT
  'stt-ignores-signal': { moment: 'user-speaking', step: 'close:stt', fault: 'ignore-signal' },
  'stt-stage-cancel-hangs': { moment: 'user-speaking', step: 'close:stt', fault: { late: 20_000 } },
  'stt-in-backoff': {
    moment: 'starting',
    step: 'open:stt',
    fault: { late: 20_000, fails: true },
    here: 'a part that is being opened',
  },
  'stt-peer-ignores-close-frame': { moment: 'listening', step: 'close:stt', fault: 'hang' },
  'stt-stage-never-resolves': { moment: 'transcribing', call: { stt: { finalAfter: 'never' } } },
  'stt-closed-while-connecting': { moment: 'starting', step: 'open:stt', fault: { late: 30_000 } },
  'stt-closed-in-backoff': {
    moment: 'starting',
    trigger: 'hurry',
    step: 'open:stt',
    fault: { late: 30_000 },
  },
  'stt-idle-drop-with-stuck-hook': {
    moment: 'listening',
    trigger: 'model-fails',
    step: "task:exit hook of 'desk'",
    fault: 'hang',
  },
  'tts-pooled-socket': { moment: 'speaking', step: 'close:tts', fault: { late: 40_000 } },
  // realtime models
  'realtime-close-hangs': {
    moment: 'speaking',
    call: { realtime: {} },
    step: 'close:realtime',
    fault: 'hang',
  },
  'realtime-close-throws': {
    moment: 'speaking',
    call: { realtime: {} },
    step: 'close:realtime',
    fault: 'throw',
  },
  // races
  'two-closes': { moment: 'speaking', trigger: 'twice' },
  'close-and-shutdown-and-close-in-listener': { moment: 'ending', trigger: 'twice' },
  'close-during-drain': { moment: 'ending' },
  'close-after-close': {
    moment: 'listening',
    tamper: (call) => {
      call.session.on('closed', () =>
        call.track('close() after close', call.session.close({ closeTimeout: 0 })),
      )
    },
  },
  'close-during-start': { moment: 'starting' },
  // output
  'output-never-finishes': { moment: 'speaking', call: { line: { confirms: false } } },
  'output-write-never-settles': {
    moment: 'speaking',
    step: 'task:speech 2',
    fault: 'hang',
    here: 'play() is synchronous',
  },
  'output-clear-throws': {
    moment: 'speaking',
    tamper: ({ line, session }) => {
      session.on('started', () => {
        line.connection.clear = () => {
          throw new Error('no clear')
        }
      })
    },
  },
  'uninterruptible-speech-dead-output': {
    moment: 'listening',
    call: { line: { confirms: false } },
    tamper: (call) => {
      call.session.on('started', () => {
        const speech = call.session.say('This cannot be interrupted.', { interruptible: false })
        call.track('waitForPlayout()', speech.waitForPlayout()).catch(() => {})
      })
    },
  },
  // around the session
  'recorder-close-hangs': { moment: 'speaking', step: 'close:recorder', fault: 'hang' },
  'recorder-close-throws': { moment: 'speaking', step: 'close:recorder', fault: 'throw' },
  'agent-toolset-close-hangs': { moment: 'listening', step: 'close:crm', fault: 'hang' },
  'session-toolset-close-hangs': {
    moment: 'tool',
    step: 'close:crm',
    fault: 'hang',
    here: 'toolsets belong to agents',
  },
  'room-close-hangs': { moment: 'speaking', step: 'close:line', fault: 'hang', here: 'the line' },
  'host-close-hangs': {
    moment: 'speaking',
    here: 'the logger',
    tamper: ({ session }) => session.on('closed', () => new Promise(() => {})),
  },
  'handoff-exit-hook-stuck': { moment: 'handoff', step: "task:exit hook of 'desk'", fault: 'hang' },
}

export const knownHangs: readonly Case[] = Object.entries(named).map(
  ([name, { here, trigger = 'close', ...rest }]) => ({
    ...rest,
    trigger,
    name,
    group: here === undefined ? name : `${name} (here: ${here})`,
  }),
)
