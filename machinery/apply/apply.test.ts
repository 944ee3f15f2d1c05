import { describe, expect, it } from 'vitest';
import { run } from '../../test/apply/sequence.ts';
import { caseOf, type WriteCase, writeCases } from '../../test/apply/write-cases.ts';
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
  it.each(writeCases)('$rule', async (given: WriteCase) => {
    const last = (await run(caseOf(given))).at(-1)!;
    expect(last.error).toEqual(given.error);
    if (given.spec) expect(last.object?.spec).toEqual(given.spec);
    if (given.owners) expect(ownersIn(last.object?.metadata.managedFields)).toEqual(given.owners);
  });
});
