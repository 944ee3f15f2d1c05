/** The level of a change: who must learn of it, and how soon. */
import { conditionOf } from '../api/conditions.ts';
import { fieldsOf, sameFacts } from '../api/facts.ts';
import type { KindFacts } from '../api/kind.ts';
import { equal, equalBut } from '../api/merge.ts';
import type { Condition, KubeObject } from '../api/object.ts';
import type { Level } from '../api/wiring.ts';

const besideSpec = new Set(['apiVersion', 'kind', 'metadata', 'status']);
/** Metadata that is compared separately, or irrelevant to all controllers. */
const besideMetadata = new Set([
  'resourceVersion',
  'managedFields',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]);
const graceOf = ({ metadata: { deletionTimestamp, deletionGracePeriodSeconds } }: KubeObject) =>
  deletionTimestamp ? undefined : deletionGracePeriodSeconds;

/** What decides which controllers an object concerns. */
const relationsOf = ({ metadata: { labels = {}, ownerReferences = [], deletionTimestamp } }: KubeObject) => [
  labels,
  ownerReferences,
  deletionTimestamp,
];

/** Only a deletion with another propagation policy adds a finalizer to an object in deletion. */
const isDeletedOtherwise = ({ metadata: old }: KubeObject, { metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (metadata.finalizers ?? []).some((finalizer) => !old.finalizers?.includes(finalizer));

/** The state of a gate: of a condition whether it is True, of a field its value. */
const gateOf = ({ spec, status }: KubeObject, gate: string): unknown => {
  const { conditions } = fieldsOf(status);
  const condition = Array.isArray(conditions) ? conditionOf(conditions as Condition[], gate) : undefined;
  if (condition) return condition.status === 'True';
  const path = gate.split('.');
  const from: unknown = path[0] === 'spec' ? { spec } : status;
  return path.reduce((value, name) => fieldsOf(value)[name], from) ?? false;
};

type Marks = Pick<KindFacts, 'direction' | 'gates' | 'notes'>;

/** Of a changed object; undefined if the change concerns the object itself. */
export const levelOf = (
  before: KubeObject,
  after: KubeObject,
  { direction, gates = [], notes }: Marks,
  isByClient: boolean,
): Level | undefined => {
  if (!equal(relationsOf(before), relationsOf(after)) || isDeletedOtherwise(before, after)) return undefined;
  const spec = !equalBut(before, after, besideSpec);
  const metadata = !equalBut(before.metadata, after.metadata, besideMetadata) || graceOf(before) !== graceOf(after);
  const isAsked = isByClient && (spec || metadata);
  if (direction ? (spec || metadata) && !equal(direction(before), direction(after)) : isAsked) return undefined;
  if (isAsked || gates.some((gate) => !equal(gateOf(before, gate), gateOf(after, gate)))) return 'gate';
  return spec || !sameFacts(before.status, after.status, notes) ? 'count' : 'note';
};
