/** The rules that the killed service and the test that kills it share. */
export const KILL_RULES = [
  {
    name: 'gold',
    when: [{ string_attribute: { key: 'tier', values: ['gold'] } }],
    match: 'root',
    sampler: { type: 'always' },
  },
  { name: 'rest', sampler: { type: 'probabilistic', percentage: 50 } },
]
