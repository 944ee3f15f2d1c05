/** What a check says of a cluster that is about to be built. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read } from '../../../machinery/api/reconcile.ts';
import { isPassing } from '../aws-cluster/step.ts';

/**
 * One thing that stands in the way: `refused` says what to change and where; `absent` the same of what is not there, or not
 * shown yet; `pending` what could not be read.
 */
export type Finding = { refused: string } | { absent: string } | { pending: string };

export const refused = (message: string): Finding => ({ refused: message });
export const absent = (message: string): Finding => ({ absent: message });
export const pending = (message: string): Finding => ({ pending: message });

/** Why something that must be known is not; nothing for what is found or definitely absent. */
export const unknown = (what: string, answer: Read<unknown> | undefined): Finding[] => {
  if (answer?.state === 'unread') return [pending(`Waiting to read ${what}`)];
  return answer?.state === 'unreadable' ? [pending(`${what} could not be read: ${answer.reason}`)] : [];
};

/** The same for what is good to know: whoever may not read it is not held up. */
export const unknownForNow = (what: string, answer: Read<unknown> | undefined): Finding[] =>
  answer?.state === 'unreadable' && !isPassing(`: ${answer.reason}`) ? [] : unknown(what, answer);

/** How messages name an object. */
export const nameOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;
