import { describe } from 'vitest';
import { roundTrips } from '../../../test/round-trip.ts';
import { clusterResourceSetBinding } from './index.ts';

describe('conversion', () => {
  roundTrips(clusterResourceSetBinding, {});
});
