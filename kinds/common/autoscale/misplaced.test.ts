import { expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import { warnMisplaced } from './misplaced.ts';

const max = 'capstan.dev/autoscale-max';
const cpu = 'capacity.cluster-autoscaler.kubernetes.io/cpu';
const message = 'the autoscaler reads this of the MachineDeployment itself; here it does nothing';

it.each<{ rule: string; kind: string; own?: string[]; template?: string[]; byController?: true; warns: string[] }>([
  { rule: 'the object that has it', kind: 'MachineDeployment', own: [max, cpu], warns: [] },
  { rule: 'a control plane', kind: 'KubeadmControlPlane', own: [max], warns: [`metadata.annotations[${max}]`] },
  {
    rule: 'an infrastructure template',
    kind: 'AWSMachineTemplate',
    own: [cpu],
    template: [max],
    warns: [`metadata.annotations[${cpu}]`, `spec.template.metadata.annotations[${max}]`],
  },
  {
    rule: 'the Machines of the object that has it',
    kind: 'MachineDeployment',
    template: [max],
    warns: [`spec.template.metadata.annotations[${max}]`],
  },
  { rule: 'a MachineSet of cluster-autoscaler', kind: 'MachineSet', own: [cpu], warns: [] },
  { rule: 'a MachineSet', kind: 'MachineSet', own: [max], warns: [`metadata.annotations[${max}]`] },
  { rule: 'a Cluster, which has limits', kind: 'Cluster', own: ['capstan.dev/autoscale-max-nodes'], warns: [] },
  { rule: 'another annotation', kind: 'KubeadmControlPlane', own: ['capstan.dev/autoscaled', 'x'], warns: [] },
  { rule: 'a copy by a controller', kind: 'MachineSet', own: [max], byController: true, warns: [] },
])('a setting of the autoscaler on $rule', ({ kind, own = [], template = [], byController, warns }) => {
  const on = (names: string[]) => Object.fromEntries(names.map((name) => [name, '1']));
  const metadata = { name: 'a', annotations: on(own) };
  const spec = { template: { metadata: { annotations: on(template) } } };
  const admission = { operation: 'create', ...(byController && { byController }) } as Admission;
  const warnings = warnMisplaced({ apiVersion: 'v1', kind, metadata, spec }, admission);
  expect(warnings).toEqual(warns.map((field) => `${field}: ${message}`));
});
