import { describe, expect, it } from 'vitest';
import type { KindDefinition } from '../../../machinery/api/kind.ts';
import { kinds } from '../../index.ts';
import { withContractRole } from './contract-role.ts';

const label = { 'cluster.x-k8s.io/v1beta1': 'v1alpha1_v1beta1' };
const roleOf = (facts: object) =>
  withContractRole({
    group: 'infrastructure.cluster.x-k8s.io',
    crdLabels: label,
    ...facts,
  } as unknown as KindDefinition).role;

describe('a kind that declares no role', () => {
  it.each([
    ['Metal3Cluster', 'InfrastructureCluster'],
    ['Metal3Machine', 'InfrastructureMachine'],
    ['Metal3MachineTemplate', 'InfrastructureMachineTemplate'],
    ['RKE2Config', 'BootstrapConfig'],
    ['RKE2ConfigTemplate', 'BootstrapConfigTemplate'],
    ['RKE2ControlPlane', 'ControlPlane'],
    ['Metal3ClusterTemplate', undefined],
    ['DockerMachinePool', 'InfrastructureMachinePool'],
  ])('named %s has the role %s', (kind, role) => expect(roleOf({ kind })).toBe(role));

  it('has none without the label of the contract', () =>
    expect(roleOf({ kind: 'Metal3Cluster', crdLabels: { 'cluster.x-k8s.io/provider': 'metal3' } })).toBeUndefined());
});

it('leaves every kind of its own as it declares itself', () =>
  expect(kinds.map((kind) => withContractRole(kind).role)).toEqual(kinds.map(({ role }) => role)));
