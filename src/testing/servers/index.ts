export {
  ChatServer,
  type ChatAnswer,
  type ChatRequest,
  type ChatRudeness,
  type ChatServerOptions,
  type ChatStep,
} from './chat-server.ts'
export { LoopbackServer, type LoopbackOptions } from './loopback-server.ts'
export type { Understands } from './ear.ts'
export type { OpenAIClientEvent, OpenAIServerEvent } from './openai-events.ts'
export type { OpenAIItem } from './openai-items.ts'
export { OpenAIRealtimeServer, type OpenAIRealtimeServerOptions } from './openai-realtime-server.ts'
export type { OpenAIRealtimeSession } from './openai-realtime-session.ts'
export {
  OpenAISpeechServer,
  type OpenAISpeechServerOptions,
  type SpeechManners,
  type SpeechRequest,
} from './openai-speech-server.ts'
export type { OpenAITurn } from './openai-turn.ts'
export type { ConnectionManners, VendorServerOptions } from './vendor-server.ts'
export { GeminiLiveServer, type GeminiLiveServerOptions } from './gemini-live-server.ts'
export type { GeminiLiveSession, GeminiTurn } from './gemini-live-session.ts'
export type {
  GeminiClientMessage,
  GeminiContent,
  GeminiPart,
  GeminiServerMessage,
} from './gemini-messages.ts'
export type {
  CartesiaChunk,
  CartesiaDone,
  CartesiaEvent,
  CartesiaFailure,
  CartesiaFlushDone,
  CartesiaGeneration,
  CartesiaRequest,
  CartesiaTimestamps,
} from './cartesia-events.ts'
export type { CartesiaRudeness } from './cartesia-manners.ts'
export { CartesiaServer, type CartesiaServerOptions } from './cartesia-server.ts'
export type { CartesiaSession } from './cartesia-session.ts'
export type {
  DeepgramAlternative,
  DeepgramControl,
  DeepgramEvent,
  DeepgramMetadata,
  DeepgramResults,
  DeepgramSpeechStarted,
  DeepgramUtteranceEnd,
  DeepgramWord,
} from './deepgram-events.ts'
export { DeepgramServer, type DeepgramServerOptions } from './deepgram-server.ts'
export type { DeepgramRudeness, DeepgramSession } from './deepgram-session.ts'
export { TwilioCall, type HangUpWay, type TwilioCallOptions } from './twilio-call.ts'
export { TwilioCarrier, type TwilioCarrierOptions } from './twilio-carrier.ts'
export type { CallEnder, TwilioCallEvent, TwilioCallNews } from './twilio-events.ts'
export type { CarrierDialect } from './twilio-frames.ts'
export type { CarrierPost, FormAnswer, FormPost } from './twilio-post.ts'
export { TwilioRest, type RestAnswer, type RestManners, type RestRequest } from './twilio-rest.ts'
export { twilioSignature } from './twilio-signature.ts'
export { readTwiml, type Twiml } from './twilio-twiml.ts'
export type { CarrierDial, CarrierSocket } from './twilio-wire.ts'
