import { expect, it } from 'vitest';
import { withoutRandom } from './without-random.ts';

const hash = '0123456789abcdef'.repeat(4);

it.each([
  { rule: 'an id with fewer digits stays', text: `uid ${hash.slice(1)}`, is: `uid ${hash.slice(1)}` },
  { rule: 'a hash at the beginning', text: `${hash} of it`, is: '… of it' },
  { rule: 'a hash at the end', text: `it has ${hash}`, is: 'it has …' },
  { rule: 'a hash far behind', text: `${'x'.repeat(1000)}${hash}`, is: `${'x'.repeat(1000)}…` },
  { rule: 'more digits, as many hashes as fit', text: `${hash}${hash}ab`, is: '……ab' },
  { rule: 'a key', text: 'a -----BEGIN EC KEY-----\nMHc=\n-----END EC KEY-----\n b', is: 'a …\n b' },
  { rule: 'a key in base64', text: '"LS0tLS1CRUdJTiBDRVJU="', is: '"…"' },
  { rule: 'a web token', text: 'Bearer eyJh.eyJz.c2ln', is: 'Bearer …' },
])('$rule', ({ text, is }) => expect(withoutRandom(text)).toBe(is));

it('finds a hash at any position', () => {
  for (let before = 0; before < 200; before++) {
    const text = '-'.repeat(before);
    expect(withoutRandom(`${text}${hash}`)).toBe(`${text}…`);
  }
});
