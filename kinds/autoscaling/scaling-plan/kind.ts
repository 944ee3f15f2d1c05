import type { KindFacts } from '../../../machinery/api/kind.ts';
import type { JsonValue } from '../../../machinery/api/object.ts';
import { alarmsAnnotation, alarmsResource } from '../../common/autoscale/alarm-states.ts';

export const scalingPlan: KindFacts = {
  group: 'capstan.dev',
  kind: 'ScalingPlan',
  plural: 'scalingplans',
  namespaced: true,
  // The alarm controller records there what the autoscaler acts on.
  direction: ({ spec, metadata }) => [(spec ?? null) as JsonValue, metadata.annotations?.[alarmsAnnotation] ?? null],
  resourceId: ({ metadata }) => (metadata.annotations?.[alarmsAnnotation] === undefined ? undefined : alarmsResource),
  notes: ['nodes.message'],
  summary: 'Ready',
};
