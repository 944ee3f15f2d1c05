/**
 * Whether what single objects answered could have come from one register each: a read sees the last write that had been
 * answered when it began, or a later one that had happened by its end; and what was answered to a write happened.
 */

import { kinds } from '../../../kinds/index.ts';
import { resourceOf } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { Violation } from '../invariants/index.ts';
import type { Commit } from '../mirror.ts';

const typeOf = new Map(kinds.map((kind) => [kind.kind, resourceOf(kind)]));

interface Version {
  position: number;
  isGone: boolean;
}
export interface History {
  onCommit(commit: Commit): void;
  /** Before a request of an object; the answer is for `ended`. */
  began(type: string, name: string): number;
  /** `position` of the answer; undefined when there was none to be found. */
  read(type: string, name: string, began: number, position: number | undefined): void;
  wrote(type: string, name: string, position: number): void;
}

/** `objects`: what there is at its beginning. */
export const createHistory = (objects: readonly KubeObject[] = []): History => {
  const versions = new Map<string, Version[]>();
  for (const { kind, metadata } of objects) {
    const position = Number(metadata.resourceVersion);
    versions.set(`${typeOf.get(kind)} ${metadata.namespace ?? ''}/${metadata.name}`, [{ position, isGone: false }]);
  }
  const of = (type: string, name: string): Version[] => {
    const id = `${type} ${name}`;
    const known = versions.get(id) ?? [];
    versions.set(id, known);
    return known;
  };
  return {
    onCommit: ({ type, namespace, name, position, event }) => {
      of(type, `${namespace}/${name}`).push({ position, isGone: event === 'DELETED' });
    },
    began: (type, name) => Math.max(0, of(type, name).length - 1),
    read: (type, name, began, position) => {
      const possible = of(type, name).slice(began);
      const isPossible =
        position === undefined
          ? possible.length === 0 || began === 0 || possible.some(({ isGone }) => isGone)
          : possible.some((version) => version.position === position && !version.isGone);
      if (isPossible) return;
      const seen = possible.map((version) => `${version.position}${version.isGone ? ' (gone)' : ''}`).join(', ');
      throw new Violation(
        'reads',
        `${type} ${name} was read as ${position ?? 'absent'}, and was ${seen || 'never there'}`,
      );
    },
    wrote: (type, name, position) => {
      if (of(type, name).some((version) => version.position === position)) return;
      throw new Violation('writes', `${type} ${name} was answered as written at ${position}, which never happened`);
    },
  };
};
