# Writes documents as Psych dumps them, each beside what Psych reads in it: a line of JSON {yaml, json} a document.
# Usage: ruby psych.rb COUNT SEED
# Values are nests of strings that are hard to quote, as keys and as values, with symbols, numbers, times, objects and
# values that stand in several places, of which Psych makes anchors and aliases.

require 'json'
require 'psych'

PIECES = [
  'a', 'Z', 'word', 'File[/etc/motd]', ' ', '  ', '   ', "\n", "\n\n", "\t", "\r", "\r\n", ': ', ':', '::', '- ', '-', '#', ' # ',
  "'", '"', '\\', '\\n', '%', '@', '`', '&a', '*a', '!', '!!str ', '|', '|-', '>', '{', '}', '[', ']', ',', '?', '? ',
  '---', '...', '--- ', "\u0085", "\u2028", "\u2029", "\u00a0", "\ufeff", "\u00e9", "\u65e5\u672c", "\u{1f600}", "\u0000", "\a", "\e",
  "\u007f", "\u0600", "\u200b", "\ufffd", 'yes', 'No', 'null', '~', 'true', 'ON', 'y', 'n', '0', '0777', '089', '1_000', '1,000', '1e5', '1.5', '.5',
  '1.', '.', '+1', '-', '-1', '0x1f', '0b11', '12:30', '12:30:45.5', '2026-01-01', '2026-01-01 00:00:00 Z', ':sym', ':"a b"', '<<', '=',
  '__proto__', 'constructor', '.inf', '.nan', '9007199254740993', 'x' * 40, 'y' * 90, 'z' * 130, 'some words that make a line longer ',
].freeze

# An object that Psych writes with a tag of its own, as Puppet's reports are.
class Thing
  attr_reader :members

  def initialize(members = {})
    @members = members
  end

  def encode_with(coder)
    coder.map = @members
  end

  def init_with(coder)
    @members = coder.map
  end
end

class Documents
  def initialize(seed)
    @random = Random.new(seed)
  end

  def value
    @shared = []
    node(0)
  end

  private

  def below(number)
    @random.rand(number)
  end

  def text
    return PIECES[below(PIECES.length)].dup if below(4).zero?

    Array.new(1 + below(1 + below(12))) { PIECES[below(PIECES.length)] }.join
  end

  def node(depth)
    kind = below(depth > 4 ? 10 : 16)
    case kind
    when 0 then [nil, true, false][below(3)]
    when 1 then [below(100), -below(10**6), 2**53 + below(1000), -(2**70) - below(9), 0][below(5)]
    when 2 then [@random.rand, @random.rand * 1e-7, -@random.rand * 1e20, 1.0, 0.0, 1e16, Float::INFINITY, Float::NAN][below(8)]
    when 3 then text.to_sym
    when 4 then [Time.at(below(2**31), below(10**9), :nsec), Time.at(below(2**31), 0, in: '+05:30'), Time.at(below(2**31)).utc][below(3)]
    when 10, 11 then keep(Array.new(below(5)) { node(depth + 1) })
    when 12, 13 then keep(members(depth))
    when 14 then Thing.new(members(depth))
    when 15 then @shared.empty? ? text : @shared[below(@shared.length)]
    else text
    end
  end

  def members(depth)
    Array.new(below(5)) { [key, node(depth + 1)] }.to_h
  end

  def key
    case below(10)
    when 0 then text.to_sym
    when 1 then below(1000)
    when 2 then [nil, true, 1.5][below(3)]
    else text
    end
  end

  def keep(collection)
    @shared << collection
    collection
  end
end

# What stands in JSON for a value: names of symbols, keys as text, times as Psych writes them.
def plain(value)
  case value
  when Hash then value.to_h { |key, held| [key.to_s, plain(held)] }
  when Array then value.map { |held| plain(held) }
  when Thing then plain(value.members)
  when Symbol then value.to_s
  when Float then value.finite? ? value : value.to_s
  when Time then value.strftime(value.utc? ? '%Y-%m-%d %H:%M:%S.%9N Z' : '%Y-%m-%d %H:%M:%S.%9N %:z')
  else value
  end
end

# A value that Psych does not read back says nothing about a reader.
def same?(one, other)
  JSON.generate(one) == JSON.generate(other)
end

count, seed = ARGV.map { |word| Integer(word) }
documents = Documents.new(seed)
written = 0
while written < count
  value = documents.value
  yaml = Psych.dump(value)
  read = begin
    Psych.unsafe_load(yaml)
  rescue StandardError
    next
  end
  puts JSON.generate({ yaml: yaml, json: plain(read) }) if same?(plain(read), plain(value)) && (written += 1)
end
