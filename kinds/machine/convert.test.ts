import fc from 'fast-check';
import { describe } from 'vitest';
import { roundTrips } from '../../test/round-trip.ts';
import { machine } from './index.ts';

describe('conversion', () => {
  roundTrips(machine, {
    newerOnly: ['spec.minReadySeconds', 'status.failureDomain'],
    at: (path, { properties }) => {
      // Older readers see Running while a machine is updated in place.
      if (path === 'status.phase') return fc.constantFrom('Pending', 'Running', 'Deleting');
      if (path === 'status.nodeRef' && properties?.uid)
        return fc.record({ apiVersion: fc.constant('v1'), kind: fc.constant('Node'), name: fc.constant('node-1') });
      return undefined;
    },
  });
});
