import { describe } from 'vitest';
import { roundTrips } from '../../../test/round-trip.ts';
import { clusterClass } from './index.ts';

describe('conversion', () => {
  roundTrips(clusterClass, {});
});
