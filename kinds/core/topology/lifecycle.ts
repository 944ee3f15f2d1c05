/** What follows from the lifecycle hooks of a topology: calls, and what the Cluster records of them. Pure. */
import type { Action, MergePatch, Plan } from '../../../machinery/api/reconcile.ts';
import { callExtensions } from '../../ports/extensions.ts';
import type { Cluster } from '../cluster/schema.ts';
import { answersOf, hookAnnotations, hookText } from '../contract/lifecycle-hooks.ts';
import type { Gate, Question } from './gate.ts';

const callOf = ({ metadata }: Cluster, { hook, about, fields = {} }: Question): Action => ({
  ...callExtensions('CallHook', {
    hook,
    cluster: { namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid ?? '' },
    about,
    fields,
  }),
  group: `hook ${hook}`,
});

type Annotations = NonNullable<NonNullable<MergePatch['metadata']>['annotations']>;

/** Undefined where the Cluster says so already. */
export const hookRecords = ({ metadata }: Cluster, gate: Gate, isQuiet: boolean): Annotations | undefined => {
  const { annotations = {} } = metadata;
  const pending = gate.pending.join(',');
  const isOver = isQuiet && pending === '' && gate.asking.length === 0 && gate.blocked.length === 0;
  const records: Annotations = {
    ...((annotations[hookAnnotations.pending] ?? '') !== pending && { [hookAnnotations.pending]: pending || null }),
    ...(gate.begun !== undefined && {
      [hookAnnotations.answers]: JSON.stringify({ ...answersOf({ metadata }), begun: gate.begun }),
    }),
    // Answers about what is over would only be old.
    ...(isOver && annotations[hookAnnotations.answers] !== undefined && { [hookAnnotations.answers]: null }),
  };
  return Object.keys(records).length > 0 ? records : undefined;
};

/** The calls, and when the controller goes on: at once to read an answer, or when a hook is asked again. */
export const hookCalls = (cluster: Cluster, { asking, due }: Gate, now: number): Plan => ({
  actions: asking.map((question) => callOf(cluster, question)),
  ...(asking.length > 0 && { again: true }),
  ...(due !== undefined && { requeueAfter: Math.max(1, Math.ceil((due - now) / 1000)) }),
});

/** In Cluster API's words; undefined if none blocks. */
export const blockedText = ({ blocked }: Pick<Gate, 'blocked'>, what: string): string | undefined =>
  blocked.length === 0
    ? undefined
    : `Following hooks are blocking ${what}: ${blocked.map(({ hook, answer }) => hookText(hook, answer)).join('; ')}`;
