import { expect, it } from 'vitest';
import type { AWSManagedControlPlane } from '../aws-managed-control-plane/schema.ts';
import { subnetsFor } from './subnets.ts';

const secondary = { 'sigs.k8s.io/cluster-api-provider-aws/association': 'secondary' };
const subnets = [
  { id: 'public', resourceID: 'subnet-1', availabilityZone: 'eu-central-1a', isPublic: true },
  { id: 'private', resourceID: 'subnet-2', availabilityZone: 'eu-central-1a' },
  { id: 'pods', resourceID: 'subnet-3', availabilityZone: 'eu-central-1a', tags: secondary },
  { id: 'edge', resourceID: 'subnet-4', availabilityZone: 'eu-central-1-ham-1a', zoneType: 'local-zone' },
  { id: 'other', resourceID: 'subnet-5', availabilityZone: 'eu-central-1b' },
];
const plane = { spec: { network: { subnets } } } as unknown as AWSManagedControlPlane;

it.each([
  { rule: 'private ones, without those for Pods and outside the region', choice: {}, is: ['subnet-2', 'subnet-5'] },
  { rule: 'those of a zone', choice: { availabilityZones: ['eu-central-1b'] }, is: ['subnet-5'] },
  { rule: 'public ones', choice: { availabilityZoneSubnetType: 'public' as const }, is: ['subnet-1'] },
  { rule: 'the named ones', choice: { subnetIDs: ['subnet-3'] }, is: ['subnet-3'] },
])('takes $rule', ({ choice, is }) => expect(subnetsFor(choice, plane, [], [])).toEqual(is));
