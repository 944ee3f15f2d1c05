/** The remaining content of a namespace, and its status messages. Pure. */
import { timestamp } from '../api/lifecycle.ts';
import type { Condition, KubeObject } from '../api/object.ts';
import type { Unreadable } from '../store/store.ts';
import { UnreadableObjects } from '../store/unreadable.ts';

export interface Content {
  /** `widgets.toys.example` or `secrets`. */
  type: string;
  objects: KubeObject[];
  unreadable: Unreadable[];
}

const sizeOf = ({ objects, unreadable }: Content): number => objects.length + unreadable.length;
export const isEmpty = (content: Content[]): boolean => content.every((one) => sizeOf(one) === 0);

type Draft = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Kubernetes' notation: a dot after the plural, even without a group. */
const resource = (type: string) => (type.includes('.') ? type : `${type}.`);

const counted = <T>(items: Iterable<T>): [T, number][] => {
  const counts = new Map<T, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
};

const remaining = (content: Content[]): Draft => {
  const type = 'NamespaceContentRemaining';
  const parts = content
    .filter((one) => sizeOf(one) > 0)
    .map((one) => `${resource(one.type)} has ${sizeOf(one)} resource instances`)
    .sort();
  return parts.length > 0
    ? {
        type,
        status: 'True',
        reason: 'SomeResourcesRemain',
        message: `Some resources are remaining: ${parts.join(', ')}`,
      }
    : { type, status: 'False', reason: 'ContentRemoved', message: 'All content successfully removed' };
};

const held = (content: Content[]): Draft => {
  const type = 'NamespaceFinalizersRemaining';
  const all = content.flatMap(({ objects }) => objects.flatMap(({ metadata }) => metadata.finalizers ?? []));
  const parts = counted(all).map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  return parts.length > 0
    ? {
        type,
        status: 'True',
        reason: 'SomeFinalizersRemain',
        message: `Some content in the namespace has finalizers remaining: ${parts.join(', ')}`,
      }
    : {
        type,
        status: 'False',
        reason: 'ContentHasNoFinalizers',
        message: 'All content-preserving finalizers finished',
      };
};

const failures = (errors: string[]): Draft => {
  const type = 'NamespaceDeletionContentFailure';
  return errors.length > 0
    ? {
        type,
        status: 'True',
        reason: 'ContentDeletionFailed',
        message: `Failed to delete all resource types, ${errors.length} remaining: ${errors.sort().join(', ')}`,
      }
    : {
        type,
        status: 'False',
        reason: 'ContentDeleted',
        message: 'All content successfully deleted, may be waiting on finalization',
      };
};

const always: Draft[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    status: 'False',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    status: 'False',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
];

/**
 * The conditions of a namespace in deletion, keeping other writers' conditions; a time changes with
 * its status.
 */
export const contentConditions = (
  before: readonly Condition[] | undefined,
  content: Content[],
  errors: string[],
  now: number,
): Condition[] => {
  const unreadable = content.flatMap((one) =>
    one.unreadable.length > 0 ? [new UnreadableObjects(one.unreadable)] : [],
  );
  const failed = [...errors, ...unreadable.map(({ message }) => message)];
  const drafts = [...always, failures(failed), remaining(content), held(content)];
  const ofOthers = (before ?? []).filter(({ type }) => !drafts.some((draft) => draft.type === type));
  const own = drafts.map((draft) => {
    const old = before?.find(({ type }) => type === draft.type);
    const isSame = old?.status === draft.status && old.lastTransitionTime !== undefined;
    return { ...draft, lastTransitionTime: isSame ? old.lastTransitionTime! : timestamp(now) };
  });
  return [...ofOthers, ...own];
};
