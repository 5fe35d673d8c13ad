/** Reads pages from the history. An isolate loads it when it is first asked for one. */

export { archivedReportPage } from '../insight/years/archived-report.ts'
