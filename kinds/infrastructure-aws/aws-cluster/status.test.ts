import { expect, it } from 'vitest';
import type { LoadBalancer } from '../../ports/cloud/index.ts';
import { evidence, tagList } from '../engine/tags.ts';
import { defaultApiPorts } from '../network/api-ports.ts';
import { desiredLoadBalancers } from '../network/desired-load-balancer.ts';
import type { Scope } from '../network/scope.ts';

import { networkStatus } from './status.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} };
const spec = { controlPlaneLoadBalancer: { loadBalancerType: 'nlb' as const } };
const [desired] = desiredLoadBalancers(spec, owner, defaultApiPorts);

const statusOf = (there: Pick<LoadBalancer, 'AvailabilityZones' | 'SecurityGroups'>) =>
  networkStatus({
    owner,
    spec,
    network: {},
    cloudState: {
      natGateways: [],
      addresses: [],
      securityGroups: [],
      loadBalancers: [
        { LoadBalancerName: desired!.name, tags: tagList(evidence(owner)), attributes: {}, listeners: [], ...there },
      ],
    },
    apiPorts: defaultApiPorts,
  } as unknown as Scope).apiServerElb;

it('reports a load balancer in a stable order, whatever order AWS lists its parts in', () => {
  const zones = ['b', 'a', 'c'].map((name) => ({ ZoneName: name, SubnetId: `subnet-of-${name}` }));
  const groups = ['sg-2', 'sg-1'];
  const described = statusOf({ AvailabilityZones: zones, SecurityGroups: groups });
  expect(described).toMatchObject({
    availabilityZones: ['a', 'b', 'c'],
    subnetIds: ['subnet-of-a', 'subnet-of-b', 'subnet-of-c'],
    securityGroupIds: ['sg-1', 'sg-2'],
  });
  expect(statusOf({ AvailabilityZones: zones.toReversed(), SecurityGroups: groups.toReversed() })).toEqual(described);
});
