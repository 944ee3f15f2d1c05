/** The result of a check on a cluster before it is built. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read } from '../../../machinery/api/reconcile.ts';
import type { FieldFault } from '../../core/contract/infrastructure.ts';
import { isPassing } from '../engine/step.ts';

/**
 * One problem. `refused`: what to change, and in which field. `absent`: the same for something that
 * does not exist or is not visible yet. `pending`: a read that failed.
 */
export type Finding = ({ refused: string } | { absent: string } | { pending: string }) & {
  /** By which a user overrides it, in CamelCase; by default that of its check. */
  code?: string;
  /** Whose message it is, in parts. */
  at?: FieldFault;
};

export const refused = (message: string, code?: string): Finding => ({ refused: message, ...(code && { code }) });
/** A fault that the checks before an upgrade may find in the same field. */
export const refusedAt = (at: FieldFault, code: string): Finding => ({
  refused: `${at.object} ${at.path}: ${at.fault}: ${at.remedy}`,
  code,
  at,
});
export const absent = (message: string): Finding => ({ absent: message });
export const pending = (message: string): Finding => ({ pending: message });

/** Why a required fact is unknown; empty for found or definitely absent. */
export const unknown = (what: string, answer: Read<unknown> | undefined): Finding[] => {
  if (answer?.state === 'unread') return [pending(`Waiting to read ${what}`)];
  return answer?.state === 'unreadable' ? [pending(`${what} could not be read: ${answer.reason}`)] : [];
};

/** The same for optional facts: an account without permission to read them is not blocked. */
export const unknownForNow = (what: string, answer: Read<unknown> | undefined): Finding[] =>
  answer?.state === 'unreadable' && !isPassing(`: ${answer.reason}`) ? [] : unknown(what, answer);

/** How messages name an object. */
export const nameOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;
