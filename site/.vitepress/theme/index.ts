// Without the fonts of the theme: the system's own are sharper, and there is nothing to load.
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
