import { expect, it } from 'vitest';
import { kinds } from './index.ts';
import { kindsOnDemand } from './on-demand.ts';

it('says of every kind what its definition says, in the same order', async () => {
  expect(await Promise.all(kindsOnDemand.map(({ load }) => load()))).toEqual(kinds);
});

it.each(
  kinds.map((kind, i) => [`${kind.group}/${kind.kind}`, kind, kindsOnDemand[i]!] as const),
)('%s', (_, kind, known) => {
  const { load, ...facts } = known;
  expect(kind).toMatchObject(facts);
  const { served, storedAs, encrypted, endsAfter, refuseDelete, direction, alias, about, references, digest } = kind;
  const {
    served: s,
    storedAs: t,
    encrypted: e,
    endsAfter: a,
    refuseDelete: d,
    direction: w,
    alias: l,
    about: b,
    references: r,
    digest: g,
  } = known;
  expect({ served, storedAs, encrypted, endsAfter, refuseDelete, direction, alias, about, references, digest }).toEqual(
    {
      served: s,
      storedAs: t,
      encrypted: e,
      endsAfter: a,
      refuseDelete: d,
      direction: w,
      alias: l,
      about: b,
      references: r,
      digest: g,
    },
  );
});
