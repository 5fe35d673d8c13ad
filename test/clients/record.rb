# Prints the YAML file named on the command line as JSON. Ruby's classes are dropped, so that what
# stands in the file is read, and nothing of Puppet's own code comes between.

require 'json'
require 'yaml'

document = YAML.parse_file(ARGV.fetch(0))
document.each do |node|
  node.tag = nil if node.respond_to?(:tag=) && node.tag&.start_with?('!ruby/')
end
puts JSON.generate(document.to_ruby)
