import { describe } from 'vitest';
import { roundTrips } from '../../test/round-trip.ts';
import { cluster } from './index.ts';

describe('conversion', () => {
  roundTrips(cluster, {
    olderOnly: [
      'spec.topology.rolloutAfter',
      'spec.topology.variables[].definitionFrom',
      'spec.topology.controlPlane.variables.overrides[].definitionFrom',
      'spec.topology.workers.machineDeployments[].variables.overrides[].definitionFrom',
      'spec.topology.workers.machinePools[].variables.overrides[].definitionFrom',
    ],
  });
});
