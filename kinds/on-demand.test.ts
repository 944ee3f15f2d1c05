import { expect, it } from 'vitest';
import { provider } from './capstan/provider/index.ts';
import { kinds } from './index.ts';
import { kindsOnDemand, providerOnDemand } from './on-demand.ts';

/** Fields that a facts object may lack although the definition has them. */
const optional = [
  'served',
  'storedAs',
  'encrypted',
  'endsAfter',
  'refuseDelete',
  'direction',
  'alias',
  'about',
  'references',
  'resourceId',
  'digest',
  'isPast',
] as const;

it('says of every kind what its definition says, in the same order', async () => {
  expect(await Promise.all(kindsOnDemand.map(({ load }) => load()))).toEqual(kinds);
});

it.each([
  ...kinds.map((kind, i) => [`${kind.group}/${kind.kind}`, kind, kindsOnDemand[i]!] as const),
  ['a published one', provider, providerOnDemand] as const,
])('%s', (_, kind, known) => {
  const { load, ...facts } = known;
  expect(kind).toMatchObject(facts);
  for (const fact of optional) expect([fact, kind[fact]]).toEqual([fact, known[fact]]);
});
