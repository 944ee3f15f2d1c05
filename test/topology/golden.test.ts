/** The objects of a topology, as Cluster API's own code computed them. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { answerOf, comparable } from './case.ts';
import { casesOfClass, goldenFile } from './cases.ts';

it.each(casesOfClass())('%s', async (name, one) => {
  const expected: unknown = JSON.parse(readFileSync(goldenFile(name), 'utf8'));
  expect(comparable(answerOf(await one))).toEqual(expected);
});
