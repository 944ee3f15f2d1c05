import { describe, expect, it } from 'vitest';
import { run } from '../../test/apply/sequence.ts';
import { caseOf, type Situation, situations } from '../../test/apply/situations.ts';
import { pathText } from './element.ts';
import { decodeEntries } from './entries.ts';
import { pathsOf } from './field-set.ts';

const ownersIn = (entries: unknown): Record<string, string> =>
  Object.fromEntries(
    [...decodeEntries(entries).values()].map(({ name, operation, subresource, fields }) => [
      `${name}${operation === 'Update' ? ' Update' : ''}${subresource ? `/${subresource}` : ''}`,
      pathsOf(fields).map(pathText).join('\n'),
    ]),
  );

describe('sequences of writes', () => {
  it.each(situations)('$rule', async (situation: Situation) => {
    const last = (await run(caseOf(situation))).at(-1)!;
    expect(last.error).toEqual(situation.error);
    if (situation.spec) expect(last.object?.spec).toEqual(situation.spec);
    if (situation.owners) expect(ownersIn(last.object?.metadata.managedFields)).toEqual(situation.owners);
  });
});
