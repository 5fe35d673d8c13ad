# Sends the report in a file as an agent sends its own: by Puppet's terminus `rest` for reports, to report_server and
# report_port. Arguments: the file, and what `puppet agent` would take.

require 'puppet'

file, *options = ARGV
Puppet.initialize_settings(options)
Puppet::Util::Log.newdestination(:console)
Puppet.override(Puppet.base_context(Puppet.settings)) do
  reports = Puppet::Transaction::Report
  reports.indirection.terminus_class = :rest
  report = reports.convert_from(:yaml, File.read(file, encoding: 'UTF-8'))
  environment = Puppet::Node::Environment.remote(report.environment.to_sym)
  reports.indirection.save(report, nil, environment: environment)
end
puts "sent as #{Puppet[:preferred_serialization_format]}"
