import { createElement as h } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { CallButton, CallTranscript, CallVisualizer, useCall } from '../../src/react/index.ts'

function App() {
  const call = useCall({ url: '/call' })
  return h('main', {}, [
    h(CallButton, { key: 1, call }),
    h(CallTranscript, { key: 2, call, empty: 'Nothing was said.' }),
    h(CallVisualizer, { key: 3, call, bars: 2 }),
  ])
}

describe('the components on a server', () => {
  it('[UI1] render without a browser, as a page without a call', () => {
    const html = renderToString(h(App))
    expect(html).toContain('>Call</button>')
    expect(html).toContain('Nothing was said.')
    expect(html).toContain('aria-label="No sound"')
  })
})
