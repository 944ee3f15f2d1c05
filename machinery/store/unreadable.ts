/** Stored states that cannot be decoded: damaged, incomplete, or sealed under another key. */
import { ApiError } from '../api/errors.ts';
import { keyOf } from '../api/object.ts';
import { resourceParts } from './resource.ts';
import { isOfTable } from './steady.ts';
import type { Unreadable } from './store.ts';

/** Causes in one answer, as kube-apiserver limits them. */
const mostCauses = 100;

const messageOf = (objects: readonly Unreadable[]): string => {
  const [first] = objects;
  const which = `${first!.type} "${keyOf(first!)}"`;
  const more = objects.length > 1 ? `, and ${objects.length - 1} more` : '';
  return `the stored state of ${which}${more} cannot be read: it is damaged, or encrypted with another key`;
};

/**
 * Answered as kube-apiserver does. A list fails, because a client takes an object that is left out for deleted.
 * The message never contains what was stored.
 */
export class UnreadableObjects extends ApiError {
  /** All of one type. */
  readonly objects: readonly Unreadable[];
  constructor(objects: readonly Unreadable[]) {
    const { group, plural } = resourceParts(objects[0]!.type);
    super(500, 'StorageReadError', messageOf(objects), {
      ...(group && { group }),
      kind: plural,
      causes: objects
        .slice(0, mostCauses)
        .map((one) => ({ reason: 'UnexpectedServerResponse', field: keyOf(one), message: messageOf([one]) })),
    });
    this.objects = objects;
    this.cause = objects[0]!.error;
  }
}

/** The error of a read of items. A dependency that fails, such as the table or the key, is named by its own error. */
export const readError = (unreadable: readonly Unreadable[]): unknown => {
  const ofTable = unreadable.find(({ error }) => isOfTable(error));
  return ofTable ? ofTable.error : new UnreadableObjects(unreadable);
};
