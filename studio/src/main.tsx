// First, so that the styles of components come after them.
import './styles/tokens.css'
import './styles/base.css'
import './styles/inputs.css'
import { calls } from './call/calls.ts'
import { mount } from './mount.tsx'

mount(document.querySelector<HTMLElement>('#app')!, calls)
