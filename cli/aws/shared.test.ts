import { expect, it } from 'vitest';
import { renderShared } from './shared.ts';

it('names only what exists, and what could not be checked', () => {
  const text = renderShared(
    [
      { line: 'the bootstrap', existence: { is: 'there' } },
      { line: 'the mark', existence: { is: 'gone' } },
      { line: 'the role', existence: { is: 'unknown', why: 'the caller may not apigateway:GET' } },
    ],
    [],
  );
  expect(text.split('\n')).toEqual([
    'Not part of the installation, and left as it was:',
    '  the bootstrap',
    '  entries of kubeconfigs that login wrote:  kubectl config delete-context <name>',
    'Could not be checked, and may exist:',
    '  the role: the caller may not apigateway:GET',
  ]);
});
