/** workerd's configuration. */

import { expect, it } from 'vitest'
import { configurationText } from '../../worker/local/host/configuration.ts'
import { readHookHosts } from '../../worker/schema/hook-hosts.ts'

const AUTHORITY = `-----BEGIN CERTIFICATE-----\n${'MIID'.repeat(400)}\n-----END CERTIFICATE-----\n`

const lengthWith = (authorities: readonly string[], reader: number | null): number =>
  configurationText({
    compatibilityDate: '2026-01-01',
    compatibilityFlags: [],
    sockets: ['plain'],
    modules: [],
    runFolder: '/run',
    dataFolder: '/data',
    assetsFolder: '/assets',
    settings: [],
    trusting: false,
    reachesThisMachine: true,
    hookHosts: readHookHosts('10.0.0.0/8'),
    authorities,
    reader,
  }).length

it.each([null, 0])(
  'has each authority once, which a file of a system has by the hundred, for reader %s',
  (reader) => {
    const [without, withAll] = [[], Array.from({ length: 100 }, () => AUTHORITY)].map((all) =>
      lengthWith(all, reader),
    )
    expect((withAll! - without!) / 100 / AUTHORITY.length).toBeCloseTo(1, 1)
  },
)
