import { describe } from 'vitest';
import { roundTrips } from '../../../test/round-trip.ts';
import { clusterResourceSet } from './index.ts';

describe('conversion', () => {
  roundTrips(clusterResourceSet, {});
});
