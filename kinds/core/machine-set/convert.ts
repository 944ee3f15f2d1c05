import { conversion, inside, move, type Rule, versionOf } from '../../common/conversion.ts';
import { failure, statusFields } from '../../common/conversion-values.ts';
import { coreGroup } from '../../common/versions.ts';
import { machineSpecRules } from '../machine/convert.ts';
import { machineSetSpec, machineSetSpecV1beta1, machineSetStatus, machineSetStatusV1beta1 } from './schema.ts';

/** Rules that MachineSets and MachineDeployments share. */
export const setRules: Rule[] = [
  // Must come before the template: on the way down, this field must leave the template first.
  move('spec.minReadySeconds', 'spec.template.spec.minReadySeconds'),
  inside('spec.template.spec', machineSpecRules),
  move('spec.machineNamingStrategy', 'spec.machineNaming'),
];
export const counters = ['readyReplicas', 'availableReplicas', 'upToDateReplicas'];

export const { rules, toStorage, fromStorage } = conversion(
  versionOf(`${coreGroup}/v1beta1`, { spec: machineSetSpecV1beta1, status: machineSetStatusV1beta1 }),
  versionOf(`${coreGroup}/v1beta2`, { spec: machineSetSpec, status: machineSetStatus }),
  [
    ...setRules,
    move('spec.deletePolicy', 'spec.deletion.order'),
    ...statusFields({
      shared: counters,
      old: ['readyReplicas', 'availableReplicas', 'fullyLabeledReplicas', ...failure],
    }),
  ],
);
