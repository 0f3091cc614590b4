import { codesAround } from './error-codes-around.ts'

/**
 * Every code that an error, a refused request or a warning of endwell has, by the room it comes from: what it means, and
 * what to do. Codes are stable and unique: a program may branch on them. `docs/errors.md` is generated from this table.
 *
 * Only the names of the codes are used at run time, so this file is imported for its types and never loaded by a program.
 */
export const errorCodes = {
  Scopes: {
    SCOPE_CLOSED: [
      'Something was started or added in a scope that is closing or closed.',
      'Check `scope.signal` first, or start it earlier.',
    ],
    CANCELLED: [
      'The task was cancelled by a close. The name of the error is `AbortError`.',
      'Nothing: let it propagate.',
    ],
    NOT_A_RESOURCE: [
      'An object without a synchronous `abort()` was given to a scope.',
      'Wrap it: `{ close: (signal) => …, abort: () => … }`.',
    ],
    LIMIT: [
      'A limit was reached. The message names the limit and its value.',
      'Find what grows without end; or raise the limit.',
    ],
    BAD_OPTION: [
      'An option is unknown or has a value that cannot work. The message names the option.',
      'Correct the option.',
    ],
    STILL_RUNNING: [
      'In a report: this work ignored its cancellation and was still running when the close ended.',
      'Make it listen to its signal.',
    ],
    CLOSED_LATE: [
      'In a report: a close ended after its `closeTimeout`, because something blocked the event loop.',
      'Find what blocks: the report names the step that was under way.',
    ],
    TIMED_OUT: [
      'In a report: a resource did not close in time and was aborted.',
      'Make its `close()` faster, or raise `closeTimeout`.',
    ],
  },
  Sessions: {
    SESSION_CLOSED: [
      'A method was called on a session that is closing or closed.',
      'Nothing, if the end of the call caused it.',
    ],
    SESSION_ENDING: [
      'New work was requested from a session that is finishing its last turn.',
      'Let it end; say last words with `hangUp({ say })`.',
    ],
    START_TIMEOUT: [
      'The line or a model did not open within `startTimeout`.',
      'The message names what was not open: check its key and its network.',
    ],
    UNINTERRUPTIBLE: [
      'Speech that is marked uninterruptible was interrupted.',
      'Pass `{ force: true }` if it must stop.',
    ],
    ANSWER_TIMEOUT: [
      'A model did not begin its answer, or did not go on with it, within `answerTimeout`.',
      'Check the model; raise `answerTimeout`; or configure a fallback.',
    ],
    NO_SOUND: ['A voice made no sound for the words it was given.', 'Check its voice, model and language.'],
    END_CUT: [
      'In a report: a graceful end was cut short by `stallTimeout` or `endTimeout`.',
      'The report names what was still running.',
    ],
    SPEECH_STALLED: [
      'A speech made no progress for `stallTimeout` and was given up.',
      'Check the TTS or the model; or configure a fallback.',
    ],
    HANDOFF_FAILED: [
      'A handoff could not be made. The session continues with the agent it had.',
      'The cause says why.',
    ],
    NO_JSON_SCHEMA: [
      'The schema of a tool cannot be given to a model.',
      'Give the tool `parameters`, or use a schema library that implements Standard JSON Schema.',
    ],
    MESSAGE_UNHANDLED: [
      "The caller's program sent a message, and the agent in charge has no `onMessage`.",
      'Give the agent an `onMessage`.',
    ],
    MESSAGE_FAILED: [
      "The agent's `onMessage` failed, or took too long.",
      'The report has the error of the hook.',
    ],
    HISTORY_MALFORMED: [
      'A stored history is not valid. The message says where.',
      'Pass what `history.toJSON()` returned.',
    ],
    HISTORY_VERSION: [
      'A stored history was written by another version.',
      'Read it with the version that wrote it, or start without it.',
    ],
  },
  Tools: {
    TOOL_UNKNOWN: [
      'The model called a tool that does not exist.',
      'Nothing: the model gets a list of the tools.',
    ],
    TOOL_INPUT: [
      "The model's input does not fit the tool's schema.",
      'Nothing: the model gets the reason. If it happens often, describe the parameters better.',
    ],
    TOOL_TIMEOUT: ['A tool took longer than its `timeout`.', 'Make it faster, or raise its `timeout`.'],
    TOOL_CANCELLED: [
      'A tool was cancelled, by an interruption or by the end of the call.',
      'Nothing: let it propagate.',
    ],
    TOOL_UNSUPPORTED: [
      "A tool runs in the caller's program, and the line reaches no such program.",
      'Use it with a line for RTVI clients, or handle calls from other lines in another agent.',
    ],
    TOOL_REFUSED: ['The call of a tool was not approved.', 'Nothing.'],
    TOOL_LIMIT: [
      'Too many tool calls in one answer.',
      'Nothing: the model is asked to answer. If it needs more steps, raise `maxToolSteps`.',
    ],
  },
  Recordings: {
    RECORDING_FAILED: [
      "The recording's sink failed. The call is not affected.",
      'The cause says why: a full disk, for instance.',
    ],
    RECORDING_BEHIND: [
      'The sink is too slow: what it missed is silence in the recording.',
      'Use a faster sink.',
    ],
    RECORDING_FULL: ['The recording reached `maxBytes` and ends there.', 'Raise `maxBytes`.'],
    RECORDING_UNSUPPORTED: ['The line cannot record calls.', 'Record calls of the phone line.'],
    RECORDING_UNCONFIRMED: [
      'The line has not confirmed that a recording was started, paused, resumed or stopped.',
      'Assume the worst: before a card number, ask again, or do not go on.',
    ],
    RECORDING_OVERRUN: [
      'Sound of the caller or the agent arrived faster than real time. Part of it was left out.',
      'Check the line: it sends too fast.',
    ],
  },
  Parts: {
    PART_TIMEOUT: ['A model did not answer in time.', 'Raise the limit, or use a faster model.'],
    PART_MISBEHAVED: [
      'A part called back with something that its interface does not allow. It was ignored.',
      'Correct the part, or report it to its author.',
    ],
    ALL_FAILED: ['Every model of a fallback failed.', '`errors` has what each of them threw.'],
  },
  Links: {
    LINK_INVALID: [
      'A connection cannot be dialled: its address, a header or a subprotocol is invalid.',
      'Check the `url` option and the headers.',
    ],
    LINK_REFUSED: ['The vendor refused the connection.', 'Check the key, the model and the URL.'],
    LINK_FATAL: [
      'The vendor ended the connection with an error that a retry would not fix.',
      "The message includes the vendor's reason.",
    ],
    LINK_TIMEOUT: ['The connection was not ready in time.', 'Check the network, or raise the limit.'],
    LINK_FAILED: [
      'The connection failed, and its retries are used up.',
      'Check the network; or configure a fallback.',
    ],
    LINK_LOST: ['The connection was lost, and its conversation cannot be resumed.', 'Configure a fallback.'],
    LINK_OVERFLOW: [
      'More was queued for a connection than its limit.',
      'The vendor reads too slowly, or was unreachable for too long.',
    ],
  },
  Providers: {
    MISSING_KEY: [
      'A provider has no API key.',
      'Pass `apiKey`, or set the environment variable that the message names.',
    ],
    PROVIDER_FAILED: [
      'A vendor answered with an error. `status` and `retryable` say more.',
      "The message includes the vendor's reason.",
    ],
    ENGINE_MISSING: [
      'A local model, or WebRTC, needs a package or a program that is not installed.',
      'Install what the message names.',
    ],
    ENGINE_FAILED: ['A local model failed.', 'The message says why.'],
    ENGINE_TIMEOUT: [
      'A local model was not ready, or did not answer, in time.',
      'Use a faster machine, or raise the limit.',
    ],
    WORKER_DIED: [
      'The worker thread of a local model, or of a WebRTC call, ended.',
      'Nothing: the next session starts another. Look at the cause if it happens again.',
    ],
    UNKNOWN_WORD: [
      'The local recogniser does not know how to pronounce a word.',
      'Use another word, or add it to `pronunciations`.',
    ],
  },
  MCP: {
    MCP_NOT_INSTALLED: ['The package `@modelcontextprotocol/sdk` is not installed.', 'Install it.'],
    MCP_START_FAILED: [
      'An MCP server could not be started, or did not list its tools.',
      'Check its command or its URL.',
    ],
    MCP_START_TIMEOUT: [
      'An MCP server was not ready in time.',
      'Raise `startTimeout`, or start the server earlier.',
    ],
    MCP_UNREACHABLE: ['An MCP server cannot be reached.', 'Check its URL and the network.'],
    MCP_REFUSED: ['An MCP server refused a request.', "The message includes the server's reason."],
    MCP_BAD_ANSWER: [
      'An MCP server sent something that is not MCP.',
      'Check the URL, or report it to the author of the server.',
    ],
    MCP_TOOL_FAILED: ['A tool of an MCP server failed.', 'Nothing: the model reads the error.'],
    MCP_GONE: [
      'An MCP server ended or closed its connection during a call.',
      'Nothing: it is started again for the next call.',
    ],
    MCP_GAVE_UP: [
      'An MCP server ended more often than `maxRestarts` and is not started again.',
      'Read its log.',
    ],
    MCP_CLOSED: [
      'A toolset was used while it was closing or closed.',
      'Nothing, if the end of the call caused it.',
    ],
    MCP_IGNORED_END: [
      'An MCP server did not end when it was asked to, and was ended by force.',
      'Report it to the author of the server.',
    ],
  },
  Sound: {
    BAD_SAMPLE_RATE: ['A sample rate is not a whole number in the possible range.', 'Correct it.'],
    BAD_DURATION: ['A duration is not a finite number, 0 or more.', 'Correct it.'],
    MIXED_SAMPLE_RATES: ['Frames of different sample rates were joined.', 'Resample them first.'],
    BAD_DTMF_KEY: [
      'A telephone does not have this key.',
      'Use 0 to 9, `*`, `#`, A to D, and the pauses `w` and `W`; at most 32 at once.',
    ],
    WAV_MALFORMED: ['A file is not a WAV file, or is damaged.', 'The message says where.'],
    WAV_UNSUPPORTED: [
      'A WAV file has a format that is not supported.',
      'Convert it to 16-bit PCM with one or two channels.',
    ],
    WAV_TOO_LONG: ['A sound is too long for a WAV file.', 'Split it.'],
  },
  ...codesAround,
  Testing: {
    FAULT: ['A fault that a test injected.', 'Nothing.'],
    LEAK: ['A test left a socket, task or timer behind.', 'Close the scope that owns it.'],
    STUCK: ['A test waits for something that cannot happen.', 'The message names what is left.'],
    EXPECTATION: ['A turn of a rehearsal was not as expected.', 'The message shows the turn.'],
    REHEARSAL: ['A rehearsal cannot continue.', 'The message says why.'],
    VIOLATION: ['A simulation broke a rule.', 'The message names the rule and shows the story.'],
    TEST_MODEL: [
      'In a rehearsal, the model that plays the caller or the judge did not answer, or not as asked.',
      'The message says what it answered. The test is broken, not the agent.',
    ],
    HUNT: ['A hunt cannot begin, or has no such case.', 'The message says why.'],
    HUNT_OFFLINE: [
      'In a hunt, the agent wanted to connect to another machine.',
      'Allow it with `--online`, or mock the tool.',
    ],
    SERVER_CLOSED: ['A loopback server was closed while a test waited for it.', 'Close it later.'],
    BAD_TWIML: ["A webhook's response is not valid TwiML.", 'The message says where.'],
  },
} as const satisfies Readonly<
  Record<string, Readonly<Record<string, readonly [means: string, remedy: string]>>>
>

type Rooms = typeof errorCodes

/** A code of {@link errorCodes}. */
export type ErrorCode = { [Room in keyof Rooms]: keyof Rooms[Room] }[keyof Rooms]
