import { expect, it } from 'vitest';
import { infrastructureKinds } from './infrastructure-kinds.ts';
import { infrastructures } from './infrastructures.ts';

it('names each infrastructure whose controllers keep to the targets of operations', () =>
  expect(infrastructureKinds).toEqual(
    infrastructures.filter(({ followsTargets }) => followsTargets).map(({ group, kind }) => ({ group, kind })),
  ));
