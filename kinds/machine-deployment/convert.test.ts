import { describe } from 'vitest';
import { roundTrips } from '../../test/round-trip.ts';
import { machineDeployment } from './index.ts';

describe('conversion', () => {
  roundTrips(machineDeployment, { olderOnly: ['spec.progressDeadlineSeconds', 'spec.revisionHistoryLimit'] });
});
