/**
 * Checks that the answers about each object are linearizable: a read returns the last write
 * acknowledged before it began, or a later write that took effect before it ended. Each
 * acknowledged write took effect.
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
/** By type: seconds after the last write at which an object expires without an event. */
const lasting = new Map(
  kinds.flatMap((kind) => (kind.endsAfter === undefined ? [] : [[resourceOf(kind), kind.endsAfter]])),
);
/**
 * The clock skew between two servers in milliseconds, plus the fraction that whole seconds drop.
 */
const clockTolerance = 5000;

interface Version {
  position: number;
  /**
   * When it was written, in milliseconds since the epoch; negative infinity for objects of the
   * initial state.
   */
  at: number;
  /** Absent when the object was deleted. */
  object: KubeObject | undefined;
}
/** The state before the first write. */
const never: Version = { position: 0, at: Number.NEGATIVE_INFINITY, object: undefined };

export interface History {
  onCommit(commit: Commit): void;
  /** Call it before a request for an object, and pass the result to `read`. */
  began(type: string, name: string): number;
  /** `position` is that of the answer; undefined when the object was not found. */
  read(type: string, name: string, began: number, position: number | undefined): void;
  wrote(type: string, name: string, position: number): void;
  /** An object in an answer equals the stored state at its resourceVersion. */
  answered(object: KubeObject): void;
  /** A complete list of a type, or of a type in a namespace, equals the state at its position. */
  listed(type: string, namespace: string | undefined, position: number, objects: readonly KubeObject[]): void;
  /** No object of the type changed after the first position, up to and including the second. */
  nothingBetween(type: string, after: number, upTo: number): void;
}

/** `objects`: the initial state. */
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
    return seconds !== undefined && clock.now() - at >= seconds * 1000 - clockTolerance;
  };
  const answered: History['answered'] = (object) => {
    const { kind, metadata } = object;
    const position = Number(metadata.resourceVersion);
    const should = of(typeOf.get(kind)!, nameOf(metadata)).findLast((one) => one.position === position)?.object;
    // The last update of a finalized object is reported again at its deletion. Other checks cover
    // version conversion.
    if (!should || should.apiVersion !== object.apiVersion) return;
    const fields = new Set([...Object.keys(should), ...Object.keys(object)]) as Set<keyof KubeObject>;
    const other = [...fields].filter((field) => !isDeepStrictEqual(should[field], object[field]));
    if (other.length > 0)
      throw new Violation(
        'bodies',
        `${kind} ${nameOf(metadata)} at ${position} was returned with a different ${other.join(', ')}`,
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
      throw new Violation('reads', `${type} ${name} was read as ${position ?? 'absent'}, but was ${seen}`);
    },
    wrote: (type, name, position) => {
      if (of(type, name).some((version) => version.position === position)) return;
      throw new Violation('writes', `${type} ${name} was acknowledged as written at ${position}, but was not written`);
    },
    answered,
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
      for (const object of listed) answered(object);
      const [missing, added] = [should.filter((one) => !is.includes(one)), is.filter((one) => !should.includes(one))];
      if (missing.length > 0 || added.length > 0 || is.length !== should.length)
        throw new Violation(
          'lists',
          `${type} at ${position}: missing ${missing.join(', ') || 'nothing'}, unexpected ${added.join(', ') || 'nothing'}`,
        );
    },
    nothingBetween: (type, after, upTo) => {
      const skipped = positions.get(type)?.find((one) => one > after && one <= upTo);
      if (skipped !== undefined)
        throw new Violation('watches', `the watch of ${type} skipped ${skipped}, between ${after} and ${upTo}`);
    },
  };
};
