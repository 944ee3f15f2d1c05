import { describe } from 'vitest';
import { roundTrips } from '../../../test/round-trip.ts';
import { machineSet } from './index.ts';

describe('conversion', () => {
  roundTrips(machineSet, {});
});
