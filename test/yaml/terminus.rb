# Prints what PuppetDB's terminus would send of the reports named on the command line, a JSON object by file: they are
# read as puppetserver reads what an agent sends, and converted by the terminus's own code.
# Usage: ruby terminus.rb FILE.yaml… (needs Debian's puppet-agent and puppet-terminus-puppetdb)

require 'json'
require 'yaml'
require 'puppet'
require 'puppet/reports'

Puppet.initialize_settings
processor = Puppet::Reports.report(:puppetdb)

reports = ARGV.to_h do |file|
  document = YAML.parse_file(file)
  document.each { |node| node.tag = nil if node.respond_to?(:tag=) && node.tag&.start_with?('!ruby/object') }
  report = Puppet::Transaction::Report.from_data_hash(JSON.parse(JSON.generate(document.to_ruby)))
  report.extend(processor)
  [File.basename(file, '.yaml'), report.report_to_hash(Time.at(0))]
end
puts JSON.pretty_generate(reports)
