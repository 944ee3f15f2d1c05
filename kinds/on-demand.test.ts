import { expect, it } from 'vitest';
import { definitionOf } from '../machinery/api/kind.ts';
import { kindsOnDemand, publishedOnDemand } from './on-demand.ts';

it.each(
  [...kindsOnDemand, ...publishedOnDemand].map((kind) => [`${kind.group}/${kind.kind}`, kind] as const),
)('%s is defined with the facts that every process knows', async (_, kind) => {
  const { load: _load, ...facts } = kind;
  expect(await definitionOf(kind)).toMatchObject(facts);
});
