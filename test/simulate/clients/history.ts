/**
 * Whether what single objects answered could have come from one register each: a read sees the last write that had been
 * answered when it began, or a later one that had happened by its end; and what was answered to a write happened.
 */
import { isDeepStrictEqual } from 'node:util';
import { kinds } from '../../../kinds/index.ts';
import { resourceOf } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Clock } from '../../../machinery/ports.ts';
import { Violation } from '../invariants/index.ts';
import type { Commit } from '../mirror.ts';

const nameOf = ({ namespace = '', name }: KubeObject['metadata']) => `${namespace}/${name}`;
const typeOf = new Map(kinds.map((kind) => [kind.kind, resourceOf(kind)]));
/** Seconds after its last write at which an object of a type is over, without a word. */
const lasting = new Map(
  kinds.flatMap((kind) => (kind.endsAfter === undefined ? [] : [[resourceOf(kind), kind.endsAfter]])),
);
/** Milliseconds by which two servers' clocks may differ, and the parts of a second that times do not have. */
const unsharp = 5000;

interface Version {
  position: number;
  /** When it was written, in milliseconds since the epoch; of what there is at the beginning nobody knows. */
  at: number;
  /** Absent: it was gone. */
  object: KubeObject | undefined;
}
/** Before anything happened to it. */
const never: Version = { position: 0, at: Number.NEGATIVE_INFINITY, object: undefined };

export interface History {
  onCommit(commit: Commit): void;
  /** Before a request of an object; the answer is for `ended`. */
  began(type: string, name: string): number;
  /** `position` of the answer; undefined when there was none to be found. */
  read(type: string, name: string, began: number, position: number | undefined): void;
  wrote(type: string, name: string, position: number): void;
  /** What was told of an object is what it was at the position that it tells. */
  told(object: KubeObject): void;
  /** A whole list of a type, or of one namespace of it, is the state at its position. */
  listed(type: string, namespace: string | undefined, position: number, objects: readonly KubeObject[]): void;
  /** Nothing of the type happened after the first position, and before or at the second. */
  nothingBetween(type: string, after: number, upTo: number): void;
}

/** `objects`: what there is at its beginning. */
export const createHistory = (clock: Pick<Clock, 'now'>, objects: readonly KubeObject[] = []): History => {
  const versions = new Map<string, Version[]>();
  const positions = new Map<string, number[]>();
  for (const object of objects) {
    const { kind, metadata } = object;
    const position = Number(metadata.resourceVersion);
    versions.set(`${typeOf.get(kind)} ${nameOf(metadata)}`, [{ position, at: Number.NEGATIVE_INFINITY, object }]);
  }
  const of = (type: string, name: string): Version[] => {
    const id = `${type} ${name}`;
    const known = versions.get(id) ?? [never];
    versions.set(id, known);
    return known;
  };
  const isOver = (type: string, { at }: Version): boolean => {
    const seconds = lasting.get(type);
    return seconds !== undefined && clock.now() - at >= seconds * 1000 - unsharp;
  };
  const told: History['told'] = (object) => {
    const { kind, metadata } = object;
    const position = Number(metadata.resourceVersion);
    const should = of(typeOf.get(kind)!, nameOf(metadata)).findLast((one) => one.position === position)?.object;
    // What went with its last finalizer is told once more, and what conversion makes of it is looked at elsewhere.
    if (!should || should.apiVersion !== object.apiVersion) return;
    const fields = new Set([...Object.keys(should), ...Object.keys(object)]) as Set<keyof KubeObject>;
    const other = [...fields].filter((field) => !isDeepStrictEqual(should[field], object[field]));
    if (other.length > 0)
      throw new Violation(
        'bodies',
        `${kind} ${nameOf(metadata)} at ${position} was told with another ${other.join(', ')}`,
      );
  };
  return {
    onCommit: ({ type, namespace, name, position, object }) => {
      of(type, `${namespace}/${name}`).push({ position, at: clock.now(), object });
      const known = positions.get(type) ?? [];
      positions.set(type, known);
      known.push(position);
    },
    began: (type, name) => of(type, name).length - 1,
    read: (type, name, began, position) => {
      const possible = of(type, name).slice(began);
      const isPossible =
        position === undefined
          ? possible.some((version) => !version.object || isOver(type, version))
          : possible.some((version) => version.position === position && version.object);
      if (isPossible) return;
      const seen = possible.map((version) => `${version.position}${version.object ? '' : ' (gone)'}`).join(', ');
      throw new Violation('reads', `${type} ${name} was read as ${position ?? 'absent'}, and was ${seen}`);
    },
    wrote: (type, name, position) => {
      if (of(type, name).some((version) => version.position === position)) return;
      throw new Violation('writes', `${type} ${name} was answered as written at ${position}, which never happened`);
    },
    told,
    listed: (type, namespace, position, listed) => {
      const is = listed.map(({ metadata }) => `${nameOf(metadata)} ${metadata.resourceVersion}`);
      const start = namespace === undefined ? `${type} ` : `${type} ${namespace}/`;
      const should = [...versions].flatMap(([id, known]) => {
        if (!id.startsWith(start)) return [];
        const last = known
          .filter((one) => one.position <= position)
          .sort((a, b) => a.position - b.position)
          .at(-1);
        if (!last?.object) return [];
        const name = `${id.slice(type.length + 1)} ${last.position}`;
        return isOver(type, last) && !is.includes(name) ? [] : [name];
      });
      for (const object of listed) told(object);
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
