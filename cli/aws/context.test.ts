import { expect, it } from 'vitest';
import { contextOption, installationOf } from './context.ts';
import { nextContext } from './prepare.ts';
import type { Context } from './stack.ts';

const me = 'arn:aws:iam::111122223333:role/Admin';
const other = 'arn:aws:iam::111122223333:role/Other';

it.each<{ rule: string; deployed: Context; typed: Context; next: Context }>([
  {
    rule: 'makes the caller administrator of a new installation',
    deployed: {},
    typed: {},
    next: { administrators: me },
  },
  {
    rule: 'keeps the administrators when another user deploys',
    deployed: { administrators: other, oidc: '[]' },
    typed: {},
    next: { administrators: other, oidc: '[]' },
  },
  {
    rule: 'overrides deployed values with command-line values',
    deployed: { administrators: other, sts: 'true' },
    typed: { administrators: 'https://issuer#ann', sts: 'false' },
    next: { administrators: 'https://issuer#ann', sts: 'false' },
  },
  {
    rule: 'resets a value to its default with an empty value',
    deployed: { administrators: other, alarmEmail: 'a@b.example' },
    typed: { administrators: '', alarmEmail: '' },
    next: { administrators: me },
  },
])('$rule', ({ deployed, typed, next }) => expect(nextContext(deployed, typed, me)).toEqual(next));

it('collects repeated --context options', () => {
  const oidc = '[{"issuer":"https://a=b"}]';
  expect(contextOption(`oidc=${oidc}`, contextOption('sts=false'))).toEqual({ oidc, sts: 'false' });
});
it('rejects a second value for a name', () => {
  const given = contextOption('installation=a');
  expect(contextOption('installation=a', given)).toEqual(given);
  expect(() => contextOption('installation=b', given)).toThrow(/installation is given twice, as a and as b/);
});
it.each(['sts', '=false'])('rejects %s', (text) => expect(() => contextOption(text)).toThrow());

it('names the installation capstan by default', () => expect(installationOf({})).toBe('capstan'));
it.each(['', 'Capstan', '1st', 'a'.repeat(31)])('rejects the installation name %s', (installation) =>
  expect(() => installationOf({ installation })).toThrow());
