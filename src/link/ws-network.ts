import { Registry, type Network } from '../scope/index.ts'

/** The network of the machine: WebSockets by `ws`. */
export const wsNetwork: Network = {
  sockets: new Registry(),
  dial() {
    throw new Error('not built yet')
  },
}
