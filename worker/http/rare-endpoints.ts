/** Endpoints that few isolates are ever asked for, as one module: it is loaded with the first of them. */

export { submitOwn, submitYaml } from './commands/submit-report.ts'
export { answerDescription } from './description.ts'
export { historyFile } from './history/file.ts'
export { deleteHistoryFile, replaceHistoryFile } from './history/replace-file.ts'
export { adminCommand } from './admin/admin-command.ts'
export { integrityCheck, integrityRepair } from './admin/check.ts'
export { exportArchive } from './admin/export.ts'
export {
  listDeliveries,
  listHooks,
  patchHook,
  putHook,
  showPreview,
  removeHook,
  replayDelivery,
  sendTest,
} from './admin/hooks.ts'
export { importArchive } from './admin/import.ts'
export { retentionPreview } from './admin/retention.ts'
export { summaryStats } from './admin/summary-stats.ts'
