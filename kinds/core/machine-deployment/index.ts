import { annotations } from '../../common/labels.ts';
import { coreContracts, coreProvider, scaleOfReplicas, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { validateMachineSpecV1beta1 } from '../machine/validate.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { defaultMachineDeployment } from './defaults.ts';
import { machineDeployment as facts } from './kind.ts';
import {
  machineDeploymentSpec,
  machineDeploymentSpecV1beta1,
  machineDeploymentStatus,
  machineDeploymentStatusV1beta1,
} from './schema.ts';
import { validateMachineDeployment } from './validate.ts';
import { warnOfReplicas } from './warn.ts';

export type * from './schema.ts';

const description = 'Keeps a number of equal Machines and replaces them when their template changes.';

export const machineDeployment = defineKind({
  ...facts,
  shortNames: ['md'],
  crdLabels: contractLabels(coreProvider, coreContracts),
  default: defaultMachineDeployment,
  validate: validateMachineDeployment,
  warn: warnOfReplicas,
  reservedAnnotations: [annotations.creating, annotations.replicasSetBy],
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      columns,
      scale: scaleOfReplicas,
      spec: machineDeploymentSpec,
      specRequired: true,
      status: machineDeploymentStatus,
    },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      description,
      columns: columnsV1beta1,
      validate: validateMachineSpecV1beta1('spec.template.spec'),
      toStorage,
      fromStorage,
      scale: scaleOfReplicas,
      spec: machineDeploymentSpecV1beta1,
      status: machineDeploymentStatusV1beta1,
    },
  ],
});
