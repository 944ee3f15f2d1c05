import { describe } from 'vitest';
import { roundTrips } from '../../../test/round-trip.ts';
import { machineHealthCheck } from './index.ts';

describe('conversion', () => {
  roundTrips(machineHealthCheck, {});
});
