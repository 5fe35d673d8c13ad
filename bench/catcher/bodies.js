// The three sizes of the goals: a small event, a push of a code host, and a long list.
const event = (index) => ({
  id: `evt_${String(index).padStart(8, '0')}`,
  type: 'order.updated',
  amount: 1999 + index,
  total: 19.5,
  paid: index % 2 === 0,
  note: 'a "quoted" word, an accent é and a slash /',
})

const commit = (index) => ({
  id: `${index}`.padStart(40, 'a1b2c3d4'),
  message: `Change number ${index}\n\nWith a second paragraph.`,
  timestamp: '2026-11-20T14:32:08Z',
  author: { name: 'Ada Lovelace', email: 'ada@example.com', username: 'ada' },
  added: [`src/file${index}.ts`],
  removed: [],
  modified: ['README.md', 'src/index.ts'],
})

const push = {
  ref: 'refs/heads/main',
  before: '0'.repeat(40),
  after: 'f'.repeat(40),
  repository: {
    id: 9007199254740993,
    name: 'demo',
    private: false,
    url: 'https://example.com/demo',
  },
  pusher: { name: 'ada', email: 'ada@example.com' },
  commits: [1, 2, 3, 4, 5].map(commit),
}

export const bodies = {
  '167 B': JSON.stringify(event(1)).slice(0, -1) + `,"pad":"${'x'.repeat(20)}"}`,
  '1.7 KB': JSON.stringify(push),
  '29 KB': JSON.stringify({ events: Array.from({ length: 209 }, (_, index) => event(index)) }),
}

/** One body of about a megabyte, for the memory figure. */
export const megabyte = JSON.stringify({
  events: Array.from({ length: 6800 }, (_, index) => event(index)),
})
