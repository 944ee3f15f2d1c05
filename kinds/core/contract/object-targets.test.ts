import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { changedTargets, type ObjectTargets } from './object-targets.ts';

interface State {
  targets?: ObjectTargets;
  annotations?: Record<string, string>;
  spec?: object;
  resourceVersion?: string;
}
const cluster = ({ targets, annotations, spec, resourceVersion = '1' }: State): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: {
    namespace: 'default',
    name: 'demo',
    resourceVersion,
    annotations: { ...annotations, ...(targets && { 'capstan.dev/object-targets': JSON.stringify(targets) }) },
  },
  spec: { controlPlaneRef: { kind: 'KubeadmControlPlane', name: 'demo' }, ...spec } as KubeObject['spec'] & object,
});
const admitted = (most?: number) => ({
  target: 'Build' as const,
  revision: 'a',
  ...(most !== undefined && { most }),
});

it.each<{ of: string; before: State; after: State; aliases: string[] | undefined }>([
  {
    of: 'a MachineDeployment that is admitted',
    before: {},
    after: { targets: { 'MachineDeployment/workers': admitted() }, resourceVersion: '2' },
    aliases: ['MachineDeployment/workers'],
  },
  {
    of: 'the control plane that goes on, beside a MachineDeployment that stays',
    before: { targets: { 'KubeadmControlPlane/demo': admitted(1), 'MachineDeployment/workers': admitted(0) } },
    after: { targets: { 'KubeadmControlPlane/demo': admitted(), 'MachineDeployment/workers': admitted(0) } },
    aliases: ['control-plane'],
  },
  {
    of: 'all when an upgrade ends',
    before: { targets: { 'KubeadmControlPlane/demo': admitted(), 'MachineDeployment/workers': admitted() } },
    after: {},
    aliases: ['control-plane', 'MachineDeployment/workers'],
  },
  {
    of: 'everything, with a target of another object',
    before: {},
    after: { targets: { 'AWSMachine/one': { target: 'Hold' } } },
    aliases: undefined,
  },
  {
    of: 'everything, with that of a restore, which decides what is up to date',
    before: { targets: { 'KubeadmControlPlane/demo': { target: 'Restore' } } },
    after: {},
    aliases: undefined,
  },
  {
    of: 'everything, with another annotation',
    before: {},
    after: { targets: { 'MachineDeployment/workers': admitted() }, annotations: { 'cluster.x-k8s.io/paused': '' } },
    aliases: undefined,
  },
  {
    of: 'everything, with the spec',
    before: { targets: { 'MachineDeployment/workers': admitted() } },
    after: { spec: { paused: true } },
    aliases: undefined,
  },
])('changes the target of $of', ({ before, after, aliases }) =>
  expect(changedTargets(cluster(before), cluster(after))).toEqual(aliases));
