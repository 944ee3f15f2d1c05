import { describe } from 'vitest';
import { roundTrips } from '../../../test/round-trip.ts';
import { machinePool } from './index.ts';

describe('conversion', () => {
  roundTrips(machinePool, {});
});
