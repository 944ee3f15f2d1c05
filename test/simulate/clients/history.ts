/**
 * Whether what single objects answered could have come from one register each: a read sees the last write that had been
 * answered when it began, or a later one that had happened by its end; and what was answered to a write happened.
 */

import { kinds } from '../../../kinds/index.ts';
import { resourceOf } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { Violation } from '../invariants/index.ts';
import type { Commit } from '../mirror.ts';

const nameOf = ({ namespace = '', name }: KubeObject['metadata']) => `${namespace}/${name}`;
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
  /** A whole list of a type, or of one namespace of it, is the state at its position. */
  listed(type: string, namespace: string | undefined, position: number, objects: readonly KubeObject[]): void;
  /** Nothing of the type happened after the first position, and before or at the second. */
  nothingBetween(type: string, after: number, upTo: number): void;
}

/** `objects`: what there is at its beginning. */
export const createHistory = (objects: readonly KubeObject[] = []): History => {
  const versions = new Map<string, Version[]>();
  const positions = new Map<string, number[]>();
  for (const { kind, metadata } of objects) {
    const position = Number(metadata.resourceVersion);
    versions.set(`${typeOf.get(kind)} ${nameOf(metadata)}`, [{ position, isGone: false }]);
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
      const known = positions.get(type) ?? [];
      positions.set(type, known);
      known.push(position);
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
    listed: (type, namespace, position, listed) => {
      const start = namespace === undefined ? `${type} ` : `${type} ${namespace}/`;
      const should = [...versions].flatMap(([id, known]) => {
        if (!id.startsWith(start)) return [];
        const last = known
          .filter((one) => one.position <= position)
          .sort((a, b) => a.position - b.position)
          .at(-1);
        return last && !last.isGone ? [`${id.slice(type.length + 1)} ${last.position}`] : [];
      });
      const is = listed.map(({ metadata }) => `${nameOf(metadata)} ${metadata.resourceVersion}`);
      const [missing, added] = [should.filter((one) => !is.includes(one)), is.filter((one) => !should.includes(one))];
      if (missing.length > 0 || added.length > 0 || is.length !== should.length)
        throw new Violation(
          'lists',
          `of ${type} at ${position}: ${missing.join(', ') || 'nothing'} is left out, and ${added.join(', ') || 'nothing'} was not so`,
        );
    },
    nothingBetween: (type, after, upTo) => {
      const skipped = positions.get(type)?.find((one) => one > after && one <= upTo);
      if (skipped !== undefined)
        throw new Violation('watches', `of ${type} nothing was told of ${skipped}, between ${after} and ${upTo}`);
    },
  };
};
