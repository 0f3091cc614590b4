export { wsNetwork } from './ws-network.ts'
