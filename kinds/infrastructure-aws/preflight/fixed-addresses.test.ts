/** Checks of pools that the fixed addresses of machines come from. */
import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Given, judged } from './preflight.fixture.ts';

const pool = (spec: object, kind = 'InClusterIPPool'): KubeObject => ({
  apiVersion: 'ipam.cluster.x-k8s.io/v1alpha2',
  kind,
  metadata: { name: 'pool', ...(kind === 'InClusterIPPool' && { namespace: 'default' }) },
  spec: { addresses: ['10.0.1.10-10.0.1.20'], prefix: 24, ...spec },
});
const asking = (reference: string) => ({
  spec: { template: { metadata: { annotations: { 'capstan.dev/address-pool': reference } } } },
});
const oneZone = {
  spec: {
    network: {
      subnets: [
        { id: 'public', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.0.0/24', isPublic: true },
        { id: 'private', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.1.0/24' },
      ],
    },
  },
};
const workers = { awsCluster: oneZone, workersTemplate: asking('InClusterIPPool/pool') };
const field =
  'AWSMachineTemplate default/workers spec.template.metadata.annotations[capstan.dev/address-pool]: InClusterIPPool pool';

const cases: (Given & { rule: string; verdict?: string; message?: string })[] = [
  { rule: 'passes a pool within the subnet', changed: workers, more: [pool({})] },
  {
    rule: 'passes a cluster-scoped pool',
    changed: { ...workers, workersTemplate: asking('GlobalInClusterIPPool/pool') },
    more: [pool({}, 'GlobalInClusterIPPool')],
  },
  {
    rule: 'leaves pools of other providers to them',
    changed: { ...workers, workersTemplate: asking('Subnet.ipam.example.com/pool') },
  },
  {
    rule: 'misses a pool that does not exist',
    changed: workers,
    verdict: 'absent',
    message: `${field} does not exist: create it`,
  },
  {
    rule: 'refuses addresses outside of the subnets',
    changed: workers,
    more: [pool({ addresses: ['10.0.1.250-10.0.2.9'], prefix: 16 })],
    verdict: 'refused',
    message: `${field} may give 10.0.1.255-10.0.2.9, which an instance in 10.0.1.0/24 cannot have: change spec.addresses of the pool, or the subnets of the machines`,
  },
  {
    rule: 'refuses addresses that EC2 keeps',
    changed: workers,
    more: [pool({ addresses: ['10.0.1.2-10.0.1.20'], gateway: '10.0.1.3' })],
    verdict: 'refused',
    message: `${field} may give 10.0.1.2, which an instance in 10.0.1.0/24 cannot have: change spec.addresses of the pool, or the subnets of the machines`,
  },
  {
    rule: 'refuses a pool without room for a rollout',
    changed: workers,
    more: [pool({ addresses: ['10.0.1.10-10.0.1.11'] })],
    verdict: 'refused',
    message: `${field} has 2 addresses, and MachineDeployment default/workers needs 3 during a rollout: add some to spec.addresses`,
  },
  {
    rule: 'refuses addresses of IPv6',
    changed: workers,
    more: [pool({ addresses: ['2001:db8::/120'], prefix: 64 })],
    verdict: 'refused',
    message: `${field} has addresses of IPv6: name a pool of IPv4`,
  },
  {
    rule: 'refuses workers of another zone',
    changed: {
      ...workers,
      awsCluster: {
        spec: {
          network: {
            subnets: [
              ...oneZone.spec.network.subnets,
              { id: 'outside', availabilityZone: 'eu-west-1b', cidrBlock: '10.0.3.0/24', isPublic: true },
              { id: 'other', availabilityZone: 'eu-west-1b', cidrBlock: '10.0.2.0/24' },
            ],
          },
        },
      },
      workers: { spec: { template: { spec: { failureDomain: 'eu-west-1b' } } } },
    },
    more: [pool({})],
    verdict: 'refused',
    message: `${field} may give 10.0.1.10-10.0.1.20, which an instance in 10.0.2.0/24 cannot have: change spec.addresses of the pool, or the subnets of the machines`,
  },
  {
    rule: 'passes a control plane in one zone',
    changed: { awsCluster: oneZone, controlPlaneTemplate: asking('InClusterIPPool/pool') },
    more: [pool({})],
  },
  {
    rule: 'refuses a control plane that spreads over zones',
    changed: { controlPlaneTemplate: asking('InClusterIPPool/pool') },
    more: [pool({ addresses: ['10.0.64.10-10.0.64.20'] })],
    verdict: 'refused',
    message:
      'AWSMachineTemplate default/demo-cp spec.template.metadata.annotations[capstan.dev/address-pool]: the address of a Machine decides about its zone, and KubeadmControlPlane default/demo-cp spreads its Machines over eu-west-1a, eu-west-1b, eu-west-1c: use subnets of one zone',
  },
];

it.each(cases)('$rule', ({ verdict = 'passed', message = '', rule: _, ...given }) => {
  const found = judged(given);
  expect({ verdict: found.verdict, message: found.message }).toEqual({ verdict, message });
});
