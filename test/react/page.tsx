import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from '../../examples/react/app.tsx'
import 'endwell/react/styles.css'
import '../../examples/react/app.css'

const root = createRoot(document.querySelector('#root')!)

/** Mounts or unmounts the example. */
const show = (mounted: boolean): void => root.render(<StrictMode>{mounted && <App />}</StrictMode>)

addEventListener('mount', () => show(true))
addEventListener('unmount', () => show(false))
show(true)
