/** Shared by the workers of every class: their queue, the marker, and whether workflows are deployed. */
import type { Position } from '../../adapters/installation/index.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import { type PositionOptions, positionOf } from '../../runtime/position.ts';
import type { ReconcilingEnvironment } from '../environment.ts';
import { markerOf } from './marker.ts';
import { hideOf } from './queues.ts';
import { createReconciling, type Reconciling, type ReconcilingOptions } from './reconciling.ts';

export const reconcilingOf = (
  foundation: Foundation,
  environment: ReconcilingEnvironment,
  make: (position: Position) => Omit<ReconcilingOptions, 'position' | 'config' | 'hide'>,
  looking: Omit<PositionOptions, 'marker'> = {},
): Reconciling => {
  const position = positionOf(foundation, { marker: markerOf(environment), ...looking });
  const { WORKFLOWS, AUDIT_WEBHOOK_URL: url } = environment;
  const config = {
    speed: 1,
    workflows: Object.keys(WORKFLOWS).length > 0,
    ...(url !== undefined && { push: { url } }),
  };
  return createReconciling(foundation, { ...make(position), position, config, hide: hideOf(environment) });
};
