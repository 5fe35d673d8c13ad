/** The script of every page. Pages work without it: it only adds comfort. */

import { showLocalTimes } from './times.ts'
import { filterAsTyped } from './filter.ts'
import { listenForKeys } from './keys.ts'
import { watchForNewer } from './live.ts'
import { rememberQueries } from './history.ts'
import { nameCells } from './map-names.ts'
import { suggestAsTyped } from './search.ts'
import { loadEditor } from './load-editor.ts'

const { dataset } = document.documentElement
showLocalTimes(dataset['times'] === 'local')
filterAsTyped()
if (dataset['keys'] !== 'off') listenForKeys()
watchForNewer()
suggestAsTyped()
rememberQueries()
loadEditor()
nameCells()
