/**
 * - `mute`: nothing is ever spoken, and nothing said about it
 * - `never done`: everything is spoken, but its end is not told
 * - `drops mid-context`: the connection breaks after the first chunk of a context
 * - `fails`: each context ends with an error, after its first chunk
 * - `ignores cancel`: a cancelled context is spoken to its end
 * - `garbles`: chunks come as something that is no JSON
 */
export type CartesiaRudeness =
  | 'mute'
  | 'never done'
  | 'drops mid-context'
  | 'fails'
  | 'ignores cancel'
  | 'garbles'

/** How a `CartesiaServer` behaves on each connection. */
export interface CartesiaManners {
  readonly thinks: number
  readonly every: number
  readonly msPerCharacter: number
  readonly idle: number
  readonly rude: ReadonlySet<CartesiaRudeness>
}
