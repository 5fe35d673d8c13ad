/** The script of every page. Pages work without it: it only adds comfort. */

import { showLocalTimes } from './times.ts'
import { listenForKeys } from './keys.ts'
import { watchForNewer } from './live.ts'
import { nameCells } from './map-names.ts'
import { suggestAsTyped } from './search.ts'
import { loadEditor } from './load-editor.ts'

const { dataset } = document.documentElement
showLocalTimes(dataset['times'] === 'local')
if (dataset['keys'] !== 'off') listenForKeys()
watchForNewer()
suggestAsTyped()
loadEditor()
nameCells()
