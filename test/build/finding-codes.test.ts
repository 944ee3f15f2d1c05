/** The codes that a user may override are those that the checks give. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findingCodes } from '../../kinds/core/contract/finding-codes.ts';
import { isGuard } from '../../kinds/core/contract/override.ts';

const root = join(import.meta.dirname, '..', '..');
const sources = [
  'kinds/operations/upgrade-check/checks/*.ts',
  // A rollback cannot be overridden, so its guards are left out.
  'kinds/operations/upgrade/preflight.ts',
  'kinds/operations/restore/disks.ts',
  'kinds/infrastructure-aws/preflight/*.ts',
  'kinds/components/kubeadm-spec.ts',
];
const patterns = [
  /\bcode: '([A-Z]\w+)'/g,
  /\b(?:refuse|finding)\(\s*'([A-Z]\w+)'/g,
  /\b(?:code \?\?.*)'(\w+)' : '(\w+)'/g,
  /^ {2}([A-Z]\w+): judge/gm,
  /^export const unkept = '(\w+)'/gm,
];

const given = (): string[] => {
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: root }));
  const texts = files
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'));
  const found = texts.flatMap((text) =>
    patterns.flatMap((pattern) => [...text.matchAll(pattern)].flatMap(([, ...codes]) => codes)),
  );
  return [...new Set(found)].filter((code) => !isGuard(code)).toSorted();
};

it('lists the codes of all checks', () => {
  expect([...findingCodes].toSorted()).toEqual(given());
  expect(findingCodes.size).toBeGreaterThan(50);
});
