/** The codes of what surrounds a session: lines, the host, and the guard. Part of `errorCodes`. */
export const codesAround = {
  Calls: {
    CALLER_GONE: ['The caller left before the call was answered.', 'Nothing.'],
    LINE_TAKEN: ['A second session was started with the line of a call.', 'Start one session per line.'],
    CALLS_CLOSED: ['The server was closed while the call was active.', 'Close the sessions first.'],
    PAGE_MISBEHAVED: [
      'A page broke the protocol and was cut off.',
      'Use `endwell/client` of the same version.',
    ],
    CLIENT_MISBEHAVED: [
      'An RTVI client broke the protocol, or sent too much, and was cut off. The message says what it did.',
      'Use a transport of Pipecat as it is, with its usual sample rates.',
    ],
    CARRIER_MISBEHAVED: [
      "A carrier's stream broke the protocol and was cut off.",
      'Check the option `carrier`, and any proxy in between.',
    ],
    STREAM_MISSING: [
      'A phone call was answered, but its stream never came.',
      'Check that the carrier can reach `publicUrl` by WebSocket.',
    ],
    HANG_UP_UNCONFIRMED: [
      'The carrier did not confirm the end of a call, which may go on there and cost money.',
      "Look for the call in the carrier's log.",
    ],
  },
  'Calls out': {
    DIAL_IMPOSSIBLE: [
      'A call out needs an address that the carrier can reach, and credentials.',
      'Set what the message names.',
    ],
    DIAL_CLOSED: ['The server no longer makes calls.', 'Nothing.'],
    DIAL_QUEUE_FULL: [
      'Too many calls out wait for their turn.',
      'Raise `dialRate` or `maxDials`, or dial later.',
    ],
  },
  'Telephone keys': {
    KEYS_NOT_PRESSED: [
      'The carrier was to press telephone keys, and has not confirmed that it has.',
      'The message says why. The keys are not pressed again, since some may have been pressed: listen to what the menu says.',
    ],
  },
  Transfers: {
    TRANSFER_IMPOSSIBLE: [
      "A phone call cannot be transferred without credentials for the carrier's REST API.",
      'Set `authToken`, and `accountSid` if the carrier does not send it.',
    ],
    CONSULTATION_FAILED: [
      'The conversation with the person, before the caller is connected, failed. The caller is back.',
      'Look at `consultation` of the transfer in the report.',
    ],
    TRANSFER_UNSUPPORTED: ['The line cannot transfer calls.', 'Transfer calls of the phone line.'],
    TRANSFER_ACTIVE: ['The caller is being transferred already.', 'Wait for its outcome.'],
  },
  'Refused calls': {
    NOT_A_CALL: [
      'The request is not one that a call begins with.',
      'Use `endwell/client`, or the address that the carrier was given.',
    ],
    NOT_THE_CARRIER: [
      'The carrier did not sign this request for this address.',
      'Check `authToken` and `publicUrl`.',
    ],
    TOKEN_MISSING: ['A call needs a token.', 'Make one on your server with `calls.token()`.'],
    TOKEN_INVALID: ["The token was not signed with this server's secret.", 'Use one secret on both sides.'],
    TOKEN_EXPIRED: ['The token has expired.', 'Fetch a token right before the call.'],
    TOKEN_USED: [
      'The token of an RTVI call was used before.',
      'Start another call: each one gets its own token.',
    ],
    ORIGIN_REFUSED: ['Pages from this origin may not call.', 'Add it to the option `origins`.'],
    TICKET_INVALID: [
      'A stream did not use the address that the webhook gave out, or used it too late or a second time.',
      'Let the webhook connect the stream: a fixed address for all calls is not accepted.',
    ],
    CALL_GONE: [
      'The call has ended. For a stream: or its webhook reached another process.',
      "Call again. For streams that reach other processes, set `beginsWith: 'stream'`.",
    ],
    OFFER_INVALID: [
      'The offer of a WebRTC client cannot be answered.',
      'Offer sound in Opus and a data channel, as browsers do. The log says what is wrong.',
    ],
    TRANSPORT_REFUSED: [
      'A client wants to start a call over a transport that the server does not have.',
      'Add `webrtc: {}` to the agent file for calls over WebRTC. Daily and LiveKit are not supported.',
    ],
    WEBRTC_FAILED: [
      'A page could not connect over WebRTC.',
      'Nothing: the call uses its WebSocket instead. If this happens to many callers, check that they can reach the UDP ports of the server.',
    ],
    REJOIN_REFUSED: [
      'A WebRTC client wanted to join its call again, or to change it.',
      'Start another call: the connection of a call cannot be replaced.',
    ],
    CALL_REPLACED: ['Another page or stream took over this call.', 'Nothing.'],
    TOO_FAST: ['Too many new calls per second.', 'Try again in a moment.'],
    BUSY: ['`maxCalls` calls are active.', 'Try again later; or raise `maxCalls`.'],
    CLOSING: ['The server is closing and takes no calls.', 'Call another server.'],
    VERSION_UNKNOWN: [
      'The server speaks another version of the protocol.',
      'Use the client of the same version.',
    ],
  },
  'In the browser': {
    MICROPHONE_DENIED: [
      'The user or the browser denied the microphone. The call continues, and the user can type.',
      'Allow it, over HTTPS or on localhost.',
    ],
    MICROPHONE_MISSING: [
      'There is no microphone. The call continues, and the user can type.',
      'Plug one in.',
    ],
    MICROPHONE_FAILED: [
      'The microphone failed. The call continues, and the user can type.',
      'The cause says why: another program may be using it.',
    ],
    SOUND_BLOCKED: [
      'The browser wants a click before it plays sound.',
      'Nothing: the next click on the page unblocks it.',
    ],
    SOUND_FAILED: ['The sound could not be set up. The call continues without it.', 'The cause says why.'],
    TOKEN_FAILED: ['The function that fetches the token threw. The call ends.', 'The cause says why.'],
    SERVER_GONE: [
      'The server cannot be reached, or no longer responds. The call ends.',
      'Check the network; call again.',
    ],
    REFUSED: ['The server refused the call and gave no code.', 'Check for a proxy in between.'],
  },
  'The host': {
    UNKNOWN_HOST: [
      'The request was made to a host name that this host does not know.',
      'Add the name to the option `names`.',
    ],
    FOREIGN_ORIGIN: ['A page of another origin made the request.', 'Open the page of the host itself.'],
    SECRET_NEEDED: ['Without a secret, only requests from this machine are accepted.', 'Set a secret.'],
    UNAUTHORISED: ['The request has no secret.', 'Log in, or send it as a bearer token.'],
    WRONG_SECRET: ['The secret is wrong.', 'Check it.'],
    TOO_MANY_ATTEMPTS: ['Too many wrong secrets came from this address.', 'Try again in a minute.'],
    TOO_MANY_STREAMS: ['Too many event streams are open.', 'Close other pages.'],
    TOO_LARGE: ['The request is too large.', 'Send less.'],
    BAD_REQUEST: ['The request is not valid. The message says what is expected.', 'Correct it.'],
    NOT_FOUND: ['There is nothing at this address.', 'Check the path.'],
    NO_SUCH_SESSION: ['The host does not know this session. It keeps only the latest ones.', 'Check the id.'],
    NO_SUCH_CALL: [
      'No call was made with this key, or too long ago.',
      'Check the key: `POST /api/calls` answers with the key of each call.',
    ],
    NO_SUCH_HOST: [
      'No host with this id shares the journal.',
      'Run `endwell drain --help`, or list the hosts with `GET /api/hosts`.',
    ],
    HOST_UNREACHABLE: [
      'No host answers at the address that a command was given.',
      'Start a host, or pass its address with `--url`.',
    ],
    NO_JOURNAL: [
      'The host has no journal: it is older, or made with `Host` alone.',
      'Serve the agent with `endwell start`.',
    ],
    FAILED: ['The host failed, or its response could not be read.', 'Read the log of the host.'],
    NO_MICROPHONE: [
      'This machine has no program that records and plays sound, which `endwell talk` needs.',
      'Install pulseaudio-utils, alsa-utils or sox, or use `endwell dev` or `endwell chat`.',
    ],
    SOUND_PROGRAM_FAILED: [
      'A program that records or plays the sound of `endwell talk` has ended, hangs, or is no microphone.',
      'Read what it says. Check that the machine has a microphone and a loudspeaker, or name another program.',
    ],
    PROJECT_EXISTS: ['The folder for a new project is not empty.', 'Name another folder.'],
    PORT_IN_USE: ['Another program listens on this port.', 'Stop it, or choose another port.'],
    PORT_FORBIDDEN: ['This user may not listen on this port.', 'Choose a port above 1023.'],
    NO_SUCH_ADDRESS: ['This machine does not have the address to listen on.', 'Use 127.0.0.1 or 0.0.0.0.'],
    LISTEN_FAILED: ['The host could not listen.', 'The message says why.'],
    HOST_LOST: [
      'In a report: the process that served the call ended before the call did. The report was made from the journal.',
      'Read the log of the host: it says why the process ended.',
    ],
    CALL_TAKEN: ['Another process answers this call, or has closed it.', 'Nothing: the call goes on there.'],
    LOOP_BLOCKED: [
      'Code blocked the event loop, so that no call of its process could go on. The message names its function and line.',
      'Make it asynchronous, or move it to a thread.',
    ],
    SUPERVISOR_LOST: [
      'The supervisor of a worker has ended, so that a request to it cannot be answered.',
      'Nothing: the worker closes its calls and exits. Start the host again.',
    ],
    REQUEST_FAILED: [
      'The supervisor could not do what a worker requested.',
      'The message says why: the journal is unavailable, for instance.',
    ],
    CALL_FILE: [
      'The recording for `endwell phone`, or the file for what was heard, cannot be used.',
      'The message says what is wrong with it.',
    ],
    PACKAGES_MISSING: [
      'An agent file needs packages that are not installed.',
      'Run the `npm install` of the message, which names all of them.',
    ],
    AGENT_FILE: ["The agent's file cannot be used.", 'The message says what is wrong with it.'],
    JOURNAL_UNAVAILABLE: [
      "The journal's database cannot be reached, or cannot write. Live calls go on.",
      'The message says why: start the database, free some disk space, or correct its address.',
    ],
    JOURNAL_IN_USE: [
      "Another process uses the journal's data folder.",
      'Stop it, or choose another folder. Several hosts share a journal in Postgres.',
    ],
    JOURNAL_VERSION: [
      'A newer version of endwell has changed the tables of the journal.',
      'Update endwell, or choose another database.',
    ],
    JOURNAL_DRIVER: [
      "The package that connects to the journal's database is not installed.",
      'Install the package that the message names.',
    ],
  },
  'After-call work': {
    UNRECOVERABLE: [
      'A handler said that its work can never succeed. The work is dead.',
      'Correct the cause, and then run `endwell work retry`.',
    ],
    RETRY_LATER: ['A handler asked to be tried again after a while.', 'Nothing: the work waits.'],
    NO_SUCH_HANDLER: [
      'The journal has work for a handler that the agent file does not have. The work waits, and is not lost.',
      'Add the handler to `afterCall` under its old name.',
    ],
    AFTER_CALL_TIMEOUT: [
      'A handler took longer than `afterCallTimeout`. The attempt counts as failed.',
      'Make it faster, raise `afterCallTimeout`, or start a workflow in it.',
    ],
    JOURNAL_SILENT: ['The journal did not answer in time. The call is repeated.', 'Check the database.'],
    WEBHOOK_FAILED: [
      'The receiver of a webhook did not accept it. The message says why; the work is retried.',
      'Correct the receiver.',
    ],
  },
  'The guard': {
    GUARD_CLOSED: [
      'What is left of a closed guarded session tried to open a connection, and was refused.',
      'Nothing: that is the zombie that the guard stops.',
    ],
    GUARD_NOT_INSTALLED: [
      'A guard was made before its hooks were installed.',
      "Import 'endwell/guard/install' before the framework.",
    ],
    GUARD_NOT_CONNECTED: [
      'A guarded session did not get its connection.',
      'Check its key, its model and the network.',
    ],
    ENDWELL_LATE: [
      'Warning: something failed in a guarded session after its close.',
      'Report it to the author of the framework.',
    ],
    ENDWELL_UNOWNED: [
      'Warning: a connection was opened outside of every guard while one was alive.',
      'Open it in `guard.run()`; or in `outside()` if it belongs to no guarded session.',
    ],
  },
} as const
