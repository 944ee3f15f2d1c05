import { expect, it } from 'vitest';
import { shellWord } from './output.ts';

it.each([
  ['.capstan/kubeconfig', '.capstan/kubeconfig'],
  ['/home/me/my data/kubeconfig', "'/home/me/my data/kubeconfig'"],
  ["ann's/kubeconfig", "'ann'\\''s/kubeconfig'"],
])('quotes %s for a shell', (path, word) => expect(shellWord(path)).toBe(word));
