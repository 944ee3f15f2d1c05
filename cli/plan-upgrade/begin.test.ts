import { expect, it } from 'vitest';
import type { Beginning } from './begin.ts';
import { commandsOf, pinnedIn } from './begin.ts';

const object = (kind: string, name: string, spec: object) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'team' },
  spec,
});
const given = (spec: object = {}): Beginning =>
  ({
    cluster: object('Cluster', 'prod', spec),
    controlPlane: object('KubeadmControlPlane', 'cp', {
      machineTemplate: { spec: { infrastructureRef: { name: 'of-cp' } } },
    }),
    machineDeployments: [
      object('MachineDeployment', 'w', { template: { spec: { infrastructureRef: { name: 'of-w' } } } }),
    ],
    templates: [
      object('AWSMachineTemplate', 'of-cp', { template: { spec: {} } }),
      object('AWSMachineTemplate', 'of-w', { template: { spec: { ami: { id: 'ami-1' } } } }),
      object('AWSMachineTemplate', 'unused', { template: { spec: { ami: { id: 'ami-2' } } } }),
    ],
  }) as unknown as Beginning;

it('patches the control plane and every pool', () =>
  expect(commandsOf(given(), 'v1.36.0')).toEqual([
    `kubectl patch kubeadmcontrolplane cp -n team --type merge -p '{"spec":{"version":"v1.36.0"}}'`,
    `kubectl patch machinedeployment w -n team --type merge -p '{"spec":{"template":{"spec":{"version":"v1.36.0"}}}}'`,
  ]));

it('patches the topology of a cluster of a class', () =>
  expect(commandsOf(given({ topology: { version: 'v1.35.0' } }), 'v1.36.0')).toEqual([
    `kubectl patch cluster prod -n team --type merge -p '{"spec":{"topology":{"version":"v1.36.0"}}}'`,
  ]));

it('names the templates in use whose image is pinned', () =>
  expect(pinnedIn(given())).toEqual(['AWSMachineTemplate of-w is pinned to image ami-1']));
