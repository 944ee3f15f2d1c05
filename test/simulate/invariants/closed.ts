/** Nothing is made any more in a namespace that is being deleted, by whomever. */
import { type Invariant, type Setting, Violation } from './invariant.ts';

/** Whoever looked just before may write just after. */
const justAfter = 30_000;
/** Those who stood still in between write what they had decided. */
const most = 3;

export const closed = ({ world }: Setting): Invariant => {
  const { clock, mirror } = world;
  /** By the uid of a namespace. */
  const late = new Map<string, string[]>();
  return {
    onCommit: ({ event, type, namespace, name, writer }) => {
      if (event !== 'ADDED') return;
      const { uid = '', deletionTimestamp } = mirror.get('Namespace', '', namespace)?.metadata ?? {};
      if (deletionTimestamp === undefined || clock.now() - Date.parse(deletionTimestamp) < justAfter) return;
      const made = [...(late.get(uid) ?? []), `${type} ${name} by ${writer ?? 'a client'}`];
      late.set(uid, made);
      if (made.length > most) throw new Violation('closed', `made in ${namespace}, which goes: ${made.join(', ')}`);
    },
  };
};
