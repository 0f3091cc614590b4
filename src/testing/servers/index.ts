export { AssemblyAIServer } from './assemblyai-server.ts'
export {
  ChatServer,
  type ChatAnswer,
  type ChatRequest,
  type ChatServerOptions,
  type ChatStep,
} from './chat-server.ts'
export { CartesiaInkServer } from './cartesia-ink-server.ts'
export { CartesiaServer, type CartesiaServerOptions } from './cartesia-server.ts'
export { DeepgramFluxServer, type DeepgramFluxServerOptions } from './deepgram-flux-server.ts'
export { DeepgramServer, type DeepgramServerOptions } from './deepgram-server.ts'
export { DeepgramSpeakServer, type DeepgramSpeakServerOptions } from './deepgram-speak-server.ts'
export { ElevenLabsScribeServer } from './elevenlabs-scribe-server.ts'
export { ElevenLabsServer, type ElevenLabsServerOptions } from './elevenlabs-server.ts'
export { GeminiLiveServer, type GeminiLiveServerOptions } from './gemini-live-server.ts'
export type { GeminiTurn } from './gemini-live-session.ts'
export { InworldServer } from './inworld-server.ts'
export { LoopbackServer, type LoopbackOptions } from './loopback-server.ts'
export { OpenAILiveServer, type OpenAILiveServerOptions } from './openai-live-server.ts'
export type { OpenAILiveTurn } from './openai-live-session.ts'
export { OpenAIRealtimeServer, type OpenAIRealtimeServerOptions } from './openai-realtime-server.ts'
export {
  OpenAISpeechServer,
  type OpenAISpeechServerOptions,
  type SpeechManners,
  type SpeechRequest,
} from './openai-speech-server.ts'
export type { OpenAITurn } from './openai-turn.ts'
export { RimeServer, type RimeServerOptions } from './rime-server.ts'
export type { TurnServerOptions } from './turn-server.ts'
export type { VoiceServerOptions } from './voice-server.ts'
export { TwilioCall, type TwilioCallOptions } from './twilio-call.ts'
export type { CallbackManners } from './twilio-callbacks.ts'
export { TwilioCarrier, type TwilioCarrierOptions } from './twilio-carrier.ts'
export type { AnsweredBy, AnsweringMachine, DetectionManners } from './twilio-detection.ts'
export type { CallState, TwilioCallEvent } from './twilio-events.ts'
export { TwilioPerson, type TwilioPersonOptions } from './twilio-person.ts'
export type { RestManners, RestRequest } from './twilio-rest.ts'
export { twilioSignature } from './twilio-signature.ts'
export { XaiRealtimeServer, type XaiRealtimeServerOptions } from './xai-realtime-server.ts'
