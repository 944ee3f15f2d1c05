/** Shared by the workers of every class: their queue, the marker, and whether workflows are deployed. */
import type { Position } from '../../adapters/installation/index.ts';
import type { ReconcilingEnvironment } from '../environment.ts';
import type { Foundation } from './foundation.ts';
import { markerOf } from './marker.ts';
import { type PositionOptions, positionOf } from './position.ts';
import { hideOf } from './queues.ts';
import { createReconciling, type Reconciling, type ReconcilingOptions } from './reconciling.ts';

export const reconcilingOf = (
  foundation: Foundation,
  environment: ReconcilingEnvironment,
  make: (position: Position) => Omit<ReconcilingOptions, 'position' | 'workflows' | 'hide'>,
  looking: Omit<PositionOptions, 'marker'> = {},
): Reconciling => {
  const position = positionOf(foundation, { marker: markerOf(environment), ...looking });
  const workflows = Object.keys(environment.WORKFLOWS).length > 0;
  return createReconciling(foundation, { ...make(position), position, workflows, hide: hideOf(environment) });
};
