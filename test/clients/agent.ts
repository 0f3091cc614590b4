import demo from '../../examples/clinic/agent.ts'

/** The agent of the demo, which also takes calls over WebRTC. */
export default { ...demo, webrtc: {} }
