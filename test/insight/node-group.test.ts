/** The groups of nodes, by the default pattern on their names. */

import { expect, it } from 'vitest'
import { nodeGroupOf } from '../../worker/insight/nodes/node-group.ts'
import { SETTINGS } from '../../worker/schema/settings.ts'

it.each([
  ['web-0001.example.com', 'web'],
  ['web01', 'web'],
  ['mail.example.com', 'mail'],
  ['db-primary-2', 'db-primary'],
  ['cafe-1.example.com', 'cafe'],
  ['i-0a1b2c3d4e5f67890.eu-central-1.compute.internal', 'i'],
  ['ip-10-0-0-7.ec2.internal', 'ip'],
  ['k8s-worker-001.example.com', 'k8s-worker'],
  ['k8s-node-7', 'k8s-node'],
  ['s3-proxy-01', 's3-proxy'],
  ['el9-004', 'el9'],
  ['s3-7', 's3'],
  ['w1', 'w'],
  ['10.0.0.7', 'other'],
  ['7d855ecf-1bbc-47d8-a7d8-7d855ecf7d85', 'other'],
  ['de049695-7c3c-4de0-ade0-de049695de04', 'other'],
  ['facefeed-cafe-4de0-ade0-de049695de04.example.com', 'other'],
])('%s is of the group %s', (certname, group) => {
  expect(nodeGroupOf({ nodeGroup: SETTINGS.NODE_GROUP.initially }, certname)).toBe(group)
})
