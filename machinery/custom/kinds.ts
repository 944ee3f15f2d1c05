/** All kinds of an installation: its program's own, and those of its users as they were last read. */
import { type Kind, resourceOf } from '../api/kind.ts';
import { type Kinds, kindsOf } from '../controller/kinds.ts';
import type { Clock } from '../ports.ts';
import { definitionKind } from './kind.ts';
import type { CustomKind, CustomKinds } from './lookup.ts';

export const allKinds = (own: readonly Kind[], custom: CustomKinds, clock: Pick<Clock, 'now'>): Kinds => {
  const fixed = [...own, definitionKind];
  const types = new Set(fixed.map(resourceOf));
  let seen: readonly CustomKind[] | undefined;
  let all: readonly Kind[] = fixed;
  return kindsOf(
    () => {
      const current = custom.current();
      if (current !== seen) {
        const ofUsers = current.map(({ kind }) => kind).filter((kind) => !types.has(resourceOf(kind)));
        all = [...fixed, ...ofUsers];
        seen = current;
      }
      return all;
    },
    { refresh: () => custom.readSince(clock.now()), isOwn: (type) => types.has(type) },
  );
};
