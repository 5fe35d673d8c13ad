/** A sentence for each field of the query API: what it holds, for readers who don't know PuppetDB. */

/** Entity → field → its meaning. */
export const FIELD_MEANINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  reports: {
    catalog_uuid:
      'The catalog that the run applied. Runs that applied the same cached catalog share it.',
    receive_time: 'When the service stored the report.',
    producer: 'The Puppet server that sent the report; null if the agent sent it itself.',
    hash: 'The id of the report: a SHA-1 over its content, as PuppetDB computes it.',
    transaction_uuid: 'The id of the run. Its catalog and facts have the same one.',
    agent_version: 'The version of the Puppet agent. Below `/pdb` its name is `puppet_version`.',
    noop: 'Whether the agent ran with `--noop`, and so changed nothing.',
    corrective_change:
      'Whether the run put back something that had been changed since the run before, without a change of the code.',
    logs: 'The log of the run: level, message, source, time, file, line and tags of each line.',
    report_format: "The version of Puppet's report format, such as 12.",
    start_time: 'When the run began, by the clock of the node.',
    producer_timestamp:
      'When the report was sent, by the clock of its producer. Reports are ordered and deleted by it.',
    type: '`agent`, or `plan` for a report of a Bolt plan.',
    cached_catalog_status:
      'Whether the run applied a cached catalog: `not_used`, `explicitly_requested`, or `on_failure` if none could be compiled.',
    end_time: 'When the run ended, by the clock of the node.',
    resource_events: 'The events of the run; null if retention has deleted them.',
    status: '`failed`, `changed` or `unchanged`, as the agent sent it.',
    configuration_version:
      "The version of the catalog, as the environment's `config_version` prints it; by default the time of compilation.",
    environment: 'The environment whose code the run applied.',
    code_id: 'The commit that was compiled, if the Puppet server names one (static catalogs).',
    noop_pending: 'Whether noop left resources unchanged that differ from the catalog.',
    certname: 'The node.',
    metrics:
      'Numbers of the run: times by type of resource, counts of resources, changes and events.',
    job_id: "The job of Puppet Enterprise's orchestrator that started the run; null for others.",
    'latest_report?': "Whether this is the node's latest agent report.",
  },
  events: {
    new_value: 'The value that the catalog wants.',
    report: 'The hash of the report.',
    corrective_change:
      'Whether the event put back a value that had been changed without a change of the code.',
    run_start_time: 'When the run began.',
    property:
      'The property that changed, such as `ensure` or `content`; null for a refresh or a whole resource.',
    name: 'The name of the event, such as `content_changed` or `refresh`.',
    file: 'The manifest that declares the resource.',
    old_value: 'The value that the node had before.',
    containing_class: 'The class that declares the resource, such as `Ssh::Server`.',
    line: 'The line in the manifest.',
    resource_type: 'The type of the resource, such as `Package`.',
    status:
      '`success`, `failure`, `noop` (would have changed), `skipped` (a dependency failed) or `audit` (only recorded).',
    configuration_version: 'The version of the catalog.',
    resource_title: 'The title of the resource.',
    environment: 'The environment of the run.',
    timestamp: 'When it happened, by the clock of the node.',
    run_end_time: 'When the run ended.',
    report_receive_time: 'When the service stored the report.',
    containment_path: 'Stage, classes and defined types around the resource, from the outside in.',
    certname: 'The node.',
    message: "Puppet's message.",
    'latest_report?': "Whether the event is in its node's latest agent report.",
  },
  nodes: {
    deactivated: 'When the node was deactivated; null for an active node.',
    latest_report_hash: 'The hash of the latest agent report.',
    facts_environment:
      'The environment of the facts that were sent last. The facts themselves are not kept.',
    cached_catalog_status: 'Whether the latest run applied a cached catalog.',
    report_environment: 'The environment of the latest report.',
    latest_report_corrective_change: 'Whether the latest run put back what had been changed.',
    catalog_environment:
      'The environment of the catalog that was sent last; without one, of the latest report.',
    facts_timestamp: 'When facts were sent last.',
    latest_report_noop: 'Whether the latest run was one with `--noop`.',
    expired: 'When the node expired, because it sent nothing for `NODE_TTL`; null for others.',
    latest_report_noop_pending:
      'Whether noop left resources of the latest run unchanged that differ.',
    report_timestamp: 'When the latest run ended.',
    certname: "The node's name, as its certificate has it.",
    catalog_timestamp: 'When a catalog was sent last. Catalogs are not kept.',
    latest_report_job_id: 'The orchestrator job of the latest run.',
    latest_report_status: 'The status of the latest report: `failed`, `changed` or `unchanged`.',
  },
  environments: { name: 'An environment with reports.' },
  producers: { name: 'A Puppet server that sent reports.' },
}
