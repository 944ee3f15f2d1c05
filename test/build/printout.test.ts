import { join } from 'node:path';
import { expect, it } from 'vitest';
import { printPermissions } from '../../cdk/permissions/print.ts';
import { resources } from './permissions.fixture.ts';

it('docs/permissions.md matches the deployed permissions', () =>
  expect(printPermissions(resources)).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/permissions.md')));
