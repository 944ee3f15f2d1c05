import { expect, it } from 'vitest';
import { contextOption, installationOf, nextContext } from './context.ts';
import type { Context } from './stack.ts';

const me = 'arn:aws:iam::111122223333:role/Admin';
const other = 'arn:aws:iam::111122223333:role/Other';

it.each<{ rule: string; deployed: Context; typed: Context; next: Context }>([
  {
    rule: 'the caller becomes administrator of a new installation',
    deployed: {},
    typed: {},
    next: { administrators: me },
  },
  {
    rule: 'who administrates it is kept when somebody else deploys',
    deployed: { administrators: other, oidc: '[]' },
    typed: {},
    next: { administrators: other, oidc: '[]' },
  },
  {
    rule: 'what is typed replaces what was deployed',
    deployed: { administrators: other, sts: 'true' },
    typed: { administrators: 'https://issuer#ann', sts: 'false' },
    next: { administrators: 'https://issuer#ann', sts: 'false' },
  },
  {
    rule: 'an empty value goes back to the default',
    deployed: { administrators: other, alarmEmail: 'a@b.example' },
    typed: { administrators: '', alarmEmail: '' },
    next: { administrators: me },
  },
])('$rule', ({ deployed, typed, next }) => expect(nextContext(deployed, typed, me)).toEqual(next));

it('is collected from many options', () => {
  const oidc = '[{"issuer":"https://a=b"}]';
  expect(contextOption(`oidc=${oidc}`, contextOption('sts=false'))).toEqual({ oidc, sts: 'false' });
});
it.each(['sts', '=false'])('does not take %s', (text) => expect(() => contextOption(text)).toThrow());

it('is of the installation capstan when none is named', () => expect(installationOf({})).toBe('capstan'));
it.each(['', 'Capstan', '1st', 'a'.repeat(31)])('does not take %s for a name', (installation) =>
  expect(() => installationOf({ installation })).toThrow());
